import Foundation

/// Files that are written and read without a store: what the file system allows.
struct PlainFiles {
    struct Failure: Error, CustomStringConvertible {
        let path: String
        let code: Int32

        var description: String { "\(path): \(String(cString: strerror(code)))" }
    }

    private let directory: URL

    init(in directory: URL) throws {
        self.directory = directory
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    func remove() throws { try FileManager.default.removeItem(at: directory) }

    private func path(_ number: Int) -> String {
        directory.appending(path: "\(number)").path
    }

    /// Writes a content and syncs the file.
    func write(_ content: Content) throws {
        try withFile(content.number, O_CREAT | O_EXCL | O_WRONLY) { file in
            for block in content {
                let count = block.withUnsafeBytes {
                    Glibc.write(file, $0.baseAddress, $0.count)
                }
                guard count == block.count else { return false }
            }
            return fsync(file) == 0
        }
    }

    /// Reads a part of a file in blocks, and returns how many bytes that were.
    func read(_ number: Int, _ range: Range<Int>, into buffer: UnsafeMutableRawBufferPointer) throws
        -> Int
    {
        var offset = range.lowerBound
        try withFile(number, O_RDONLY) { file in
            while offset < range.upperBound {
                let count = pread(
                    file, buffer.baseAddress, min(buffer.count, range.upperBound - offset),
                    off_t(offset))
                guard count > 0 else { return count == 0 }
                offset += count
            }
            return true
        }
        return offset - range.lowerBound
    }

    private func withFile(_ number: Int, _ flags: Int32, _ body: (Int32) -> Bool) throws {
        let path = path(number)
        let file = open(path, flags | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure(path: path, code: errno) }
        defer { close(file) }
        guard body(file) else { throw Failure(path: path, code: errno) }
    }
}
