package import VarveEvents
package import VarveLog
package import VarveTables

/// The types all of whose rows in a checkpoint one build has tried: it can read each, and would write it as it is.
///
/// What only the app's own code can read has to be read for that to be known. A checkpoint notes it, so that the next
/// opening by the same build need not.
package struct TriedTypes: Hashable, Sendable {
    /// Which type of the program it is that rows were read as.
    package struct Reader: Hashable, Sendable {
        fileprivate let digest: UInt64

        fileprivate init(digest: UInt64) { self.digest = digest }

        /// Nil where the type has no name.
        package init?(_ type: Any.Type) {
            guard let name = _mangledTypeName(type) else { return nil }
            digest = Array(name.utf8).withUnsafeBytes { XXH64.hash($0, seed: 0) }
        }
    }

    package let build: BuildIdentity
    package let readers: [TypeNumber: Reader]

    package init(_ readers: [TypeNumber: Reader], by build: BuildIdentity) {
        self.build = build
        self.readers = readers
    }
}

/// What a checkpoint notes of the rows that were tried, and which rows were set behind it.
package struct TriedRows: Sendable {
    private let noted: TriedTypes
    /// The transaction of the checkpoint.
    private let transaction: TransactionID
    package private(set) var setRows: SetRows

    package init(_ noted: TriedTypes, in transaction: TransactionID, _ setRows: SetRows) {
        self.noted = noted
        self.transaction = transaction
        self.setRows = setRows
    }

    /// Further rows were set.
    package mutating func note(_ rows: SetRows) { setRows.formUnion(rows) }

    /// The slots of a type whose rows are still to be tried; nil where that is all of them.
    ///
    /// - Parameters:
    ///   - reader: what rows are read as, in a build.
    ///   - catalog: of the state behind the checkpoint. Rows of a definition that came since were not tried.
    package func untried(
        _ type: TypeNumber, as reader: TriedTypes.Reader, by build: BuildIdentity,
        in catalog: Catalog
    ) -> [Slot]? {
        guard noted.build == build, noted.readers[type] == reader, !setRows.areTooMany,
            let newest = catalog.revisions(of: type).last, newest.since <= transaction
        else { return nil }
        return setRows[type]
    }
}

// MARK: - The page of a checkpoint

extension TriedTypes {
    private static let countMax = 1 << 16

    fileprivate func encode() -> ByteWriter {
        var writer = ByteWriter()
        build.encode(into: &writer)
        writer.writeVarint(UInt64(readers.count))
        for (type, reader) in readers.sorted(by: { $0.key < $1.key }) {
            writer.writeVarint(UInt64(type.rawValue))
            writer.write(littleEndian: reader.digest)
        }
        return writer
    }

    fileprivate init(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
        var reader = ByteReader(bytes)
        let build = try BuildIdentity(&reader)
        let start = reader.position
        let count = try reader.readVarint()
        guard count <= Self.countMax else {
            throw .valueOutOfRange(offset: start, typeName: "number of types")
        }
        var readers: [TypeNumber: Reader] = [:]
        for _ in 0..<count {
            let offset = reader.position
            guard let number = UInt32(exactly: try reader.readVarint()) else {
                throw .valueOutOfRange(offset: offset, typeName: "number of a type")
            }
            let digest = try reader.readLittleEndian(UInt64.self)
            readers[TypeNumber(number)] = Reader(digest: digest)
        }
        try reader.expectEnd()
        self.init(readers, by: build)
    }

    /// Notes it in a checkpoint, behind the image.
    package func append(to writer: CheckpointWriter) throws(LogError) {
        try encode().withBytes { bytes throws(LogError) in
            try writer.append(CheckpointPart(.triedTypes, count: 1), bytes)
        }
    }
}

extension CheckpointFile {
    /// What is noted of the rows that were tried; nil where nothing is, or nothing that can be read. It is advice: without
    /// it all rows are read.
    func loadTriedTypes() throws(LogError) -> TriedTypes? {
        let kind = CheckpointPart.Kind.triedTypes.code
        guard header.isImage, let page = notes.last(where: { $0.key.kind == kind }) else {
            return nil
        }
        do throws(LogError) {
            let bytes = PageBytes(try makeReader().read(page))
            return try? TriedTypes(bytes.bytes)
        } catch {
            guard case .checkpointDamaged = error else { throw error }
            return nil
        }
    }
}
