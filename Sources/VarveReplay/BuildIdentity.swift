internal import CVarve
internal import VarveEvents
internal import VarveLog

/// Which code it is that reads rows: the build of a program, with the libraries that it has loaded.
package struct BuildIdentity: Hashable, Sendable {
    private let first: UInt64
    private let second: UInt64

    package init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// Of this process: its program, and all libraries that are loaded now. Nil where the system does not tell of one.
    ///
    /// - Complexity: a look at some dozen files.
    package static var ofProcess: BuildIdentity? {
        var content: [UInt8] = []
        let isComplete = withUnsafeMutablePointer(to: &content) { content in
            varve_for_each_image(content) { context, bytes, count in
                guard let context, let bytes else { return }
                context.assumingMemoryBound(to: [UInt8].self).pointee
                    .append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
            }
        }
        guard isComplete != 0 else { return nil }
        return content.withUnsafeBytes { content in
            BuildIdentity(XXH64.hash(content, seed: 0), XXH64.hash(content, seed: 1))
        }
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(littleEndian: first)
        writer.write(littleEndian: second)
    }

    init(_ reader: inout ByteReader) throws(CodecError) {
        let first = try reader.readLittleEndian(UInt64.self)
        self.init(first, try reader.readLittleEndian(UInt64.self))
    }
}
