/// The compact binary form in which the key-value engines keep records: strings with a length byte,
/// numbers of eight bytes. About 140 bytes a record on average, without indexes.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(256) }

    mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            precondition(utf8.count < 256, "texts of the data set are short")
            bytes.append(UInt8(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    mutating func write(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

struct RecordReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func text() -> String {
        let count = Int(bytes[offset])
        defer { offset += 1 + count }
        return String(decoding: bytes[(offset + 1)..<(offset + 1 + count)], as: UTF8.self)
    }

    mutating func number() -> UInt64 {
        defer { offset += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension UserRecord {
    func encoded() -> [UInt8] {
        var writer = RecordWriter()
        for text in [id, name, email, city] { writer.write(text) }
        writer.write(UInt64(bitPattern: Int64(age)))
        writer.write(score.bitPattern)
        writer.write(UInt64(bitPattern: Int64(createdAt)))
        return writer.bytes
    }

    init(decoding bytes: UnsafeRawBufferPointer) {
        var reader = RecordReader(bytes)
        id = reader.text()
        name = reader.text()
        email = reader.text()
        city = reader.text()
        age = Int(Int64(bitPattern: reader.number()))
        score = Double(bitPattern: reader.number())
        createdAt = Int(Int64(bitPattern: reader.number()))
    }
}

extension PostRecord {
    func encoded() -> [UInt8] {
        var writer = RecordWriter()
        for text in [id, title, body, author] { writer.write(text) }
        writer.write(UInt64(bitPattern: Int64(likes)))
        return writer.bytes
    }

    init(decoding bytes: UnsafeRawBufferPointer) {
        var reader = RecordReader(bytes)
        id = reader.text()
        title = reader.text()
        body = reader.text()
        author = reader.text()
        likes = Int(Int64(bitPattern: reader.number()))
    }
}
