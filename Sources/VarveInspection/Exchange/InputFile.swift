internal import Foundation

/// A text file, read once from its beginning; "-" is the standard input. Memory does not grow with the file.
final class InputFile {
    let path: String
    /// Of the line or record that was read last, from 1.
    private(set) var line = 0
    private var lineCount = 0
    private let handle: FileHandle
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    private static let chunkBytes = 1 << 16

    init(_ path: String) throws(ExchangeError) {
        self.path = path
        guard path != "-" else {
            handle = .standardInput
            return
        }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw .file(path: path, reason: "it cannot be read; is it there?")
        }
        self.handle = handle
    }

    /// Makes bytes available, unless the file has ended.
    private func fill() throws(ExchangeError) -> Bool {
        if position < buffer.count { return true }
        guard !isAtEnd else { return false }
        let isFirst = lineCount == 0 && buffer.isEmpty
        do {
            buffer = [UInt8](try handle.read(upToCount: Self.chunkBytes) ?? Data())
        } catch {
            throw .file(path: path, reason: "\(error.localizedDescription)")
        }
        // Some programs begin a text with a mark of its encoding.
        position = isFirst && buffer.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        isAtEnd = buffer.isEmpty
        return position < buffer.count
    }

    /// The next line without its end, nil behind the last.
    func nextLine() throws(ExchangeError) -> [UInt8]? {
        guard try fill() else { return nil }
        lineCount += 1
        line = lineCount
        var bytes: [UInt8] = []
        while try fill() {
            let rest = buffer[position...]
            guard let end = rest.firstIndex(of: 0x0A) else {
                bytes += rest
                position = buffer.count
                continue
            }
            bytes += rest[..<end]
            position = end + 1
            break
        }
        if bytes.last == 0x0D { bytes.removeLast() }
        return bytes
    }

    /// The next record of comma-separated values, nil behind the last. Cells that hold nothing are nil, those that
    /// hold a pair of quotation marks an empty text.
    func nextRecord() throws(ExchangeError) -> [String?]? {
        guard try fill() else { return nil }
        lineCount += 1
        line = lineCount
        var cells: [String?] = []
        while true {
            let (cell, isLast) = try nextCell()
            cells.append(cell)
            if isLast { return cells }
        }
    }

    /// The first record that is not blank, as the titles of columns; nil where there is none.
    func nextTitles() throws(ExchangeError) -> [String]? {
        while let record = try nextRecord() {
            let titles = record.map { $0 ?? "" }
            if titles.contains(where: { !$0.isEmpty }) { return titles }
        }
        return nil
    }

    private func nextCell() throws(ExchangeError) -> (String?, isLast: Bool) {
        var cell = OpenCell()
        while try fill() {
            let byte = buffer[position]
            position += 1
            if byte == UInt8(ascii: "\"") {
                // A pair of them inside of quotation marks is one.
                if cell.isOpen, try fill(), buffer[position] == byte {
                    cell.append(byte)
                    position += 1
                } else {
                    cell.takeQuotationMark()
                }
            } else if cell.isOpen || byte != UInt8(ascii: ",") && byte != 0x0A {
                if byte == 0x0A { lineCount += 1 }
                cell.append(byte)
            } else {
                if byte == 0x0A { cell.removeCarriageReturn() }
                return (try text(cell.bytes, cell.isQuoted), isLast: byte == 0x0A)
            }
        }
        guard !cell.isOpen else {
            throw .file(path: path, reason: "line \(line): a cell has no closing quotation mark")
        }
        return (try text(cell.bytes, cell.isQuoted), true)
    }

    private func text(_ bytes: [UInt8], _ isQuoted: Bool) throws(ExchangeError) -> String? {
        guard isQuoted || !bytes.isEmpty else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .file(path: path, reason: "line \(line): a cell is not UTF-8")
        }
        return text
    }
}

/// A cell of comma-separated values that is being read.
private struct OpenCell {
    private(set) var bytes: [UInt8] = []
    /// Whether it has quotation marks, so that it is a text also where it is empty.
    private(set) var isQuoted = false
    /// Whether a quotation mark is open.
    private(set) var isOpen = false
    /// How many bytes there are up to the last one in quotation marks.
    private var quotedEnd = 0

    mutating func append(_ byte: UInt8) {
        bytes.append(byte)
        if isOpen { quotedEnd = bytes.count }
    }

    /// Takes a quotation mark, which is part of the text where it is neither the first byte nor closes one.
    mutating func takeQuotationMark() {
        guard isOpen || bytes.isEmpty else { return append(UInt8(ascii: "\"")) }
        isOpen.toggle()
        isQuoted = true
    }

    /// Removes the half of a line's end that is in front of the line feed.
    mutating func removeCarriageReturn() {
        if bytes.count > quotedEnd, bytes.last == 0x0D { bytes.removeLast() }
    }
}
