import Foundation

/// Reads a `Packages` index, or dpkg's status file, stanza by stanza.
///
/// Memory stays at a few hundred KiB however long the file is. A malformed stanza is an entry of
/// its own kind and does not end the reading; only a file that cannot be read or decompressed
/// does. Not for use by two threads at once.
package final class PackagesReader {
    package enum Entry: Hashable, Sendable {
        case stanza(PackageStanza)
        /// A stanza that was skipped, and why.
        case problem(StanzaProblem)
    }

    /// How far the file was read, in bytes as they lie on disk (compressed ones, where they are).
    package struct Progress: Hashable, Sendable {
        package var bytesRead: Int64
        package var bytesTotal: Int64
    }

    private let source: any ByteSource
    private let bytesTotal: Int64
    private var buffer: StanzaBuffer
    private var parser = StanzaParser()

    /// Opens a file, plain or compressed with LZ4, as its first bytes tell.
    package convenience init(path: String) throws(PackagesError) {
        let file = try PackagesFile(path: path)
        let bytes = try FileByteSource(path: path)
        switch file.compression {
        case .none:
            self.init(bytes, bytesTotal: file.byteCount)
        case .lz4:
            self.init(try LZ4FrameSource(bytes, path: path), bytesTotal: file.byteCount)
        }
    }

    /// Reads plain text that is in memory.
    package convenience init(bytes: [UInt8]) {
        self.init(MemoryByteSource(bytes), bytesTotal: Int64(bytes.count))
    }

    init(_ source: any ByteSource, bytesTotal: Int64) {
        self.source = source
        self.bytesTotal = bytesTotal
        buffer = StanzaBuffer(source)
    }

    package var progress: Progress {
        Progress(bytesRead: min(source.position, bytesTotal), bytesTotal: bytesTotal)
    }

    /// The next stanza or problem; `nil` at the end of the file.
    package func next() throws(PackagesError) -> Entry? {
        switch try buffer.next() {
        case nil:
            return nil
        case .tooLarge(let firstLine):
            let bytesMax = StanzaBuffer.stanzaBytesMax
            return .problem(StanzaProblem(line: firstLine, reason: .tooLarge(bytesMax: bytesMax)))
        case .stanza(let range, let firstLine):
            let bytes = buffer.bytes
            do throws(StanzaProblem) {
                return .stanza(try parser.parse(range, of: bytes.span, firstLine: firstLine))
            } catch {
                return .problem(error)
            }
        }
    }

    /// Calls `body` with every entry of a file, in order, and how far the file was read.
    ///
    /// - Throws: ``PackagesError`` for the file, and what `body` throws.
    package static func forEachStanza(
        in path: String, _ body: (Entry, Progress) throws -> Void
    ) throws {
        try PackagesReader(path: path).forEach(body)
    }

    /// Calls `body` with every entry of plain text that is in memory, in order.
    package static func forEachStanza(
        in bytes: [UInt8], _ body: (Entry, Progress) throws -> Void
    ) throws {
        try PackagesReader(bytes: bytes).forEach(body)
    }

    private func forEach(_ body: (Entry, Progress) throws -> Void) throws {
        while let entry = try next() { try body(entry, progress) }
    }
}
