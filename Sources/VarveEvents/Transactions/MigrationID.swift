/// What a log calls a migration.
package struct MigrationID: Hashable, Sendable {
    package let name: String
    /// From 1.
    package let version: UInt32

    package init(name: String, version: UInt32 = 1) {
        self.name = name
        self.version = version
    }
}

extension MigrationID: CustomStringConvertible {
    /// The name, with the version where it is not the first.
    package var description: String { version == 1 ? name : "\(name) (version \(version))" }
}

extension MigrationID {
    func encode(into writer: inout ByteWriter) {
        writer.writeText(name)
        writer.writeVarint(UInt64(version))
    }

    init(from reader: inout ByteReader) throws(CodecError) {
        name = try reader.readText()
        version = try reader.readNumber()
    }
}
