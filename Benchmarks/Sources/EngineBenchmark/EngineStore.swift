import VarveEvents
import VarveTables

/// Users in one table of the engine: rows, ids, an index by age.
struct EngineStore: UserStore {
    /// Sizes of its pages.
    struct Shape {
        var slotBits = 3
        var childBits = 6
        var idNodeBits = 6
        var idBucketCount = 30
        var indexBytes = 512
        var source = FrameSource.hugeChunks
    }

    /// What differs from the sizes that were chosen.
    static let shapes: [(String, Shape)] = [
        ("as chosen", Shape()),
        ("4 rows a leaf", Shape(slotBits: 2)),
        ("16 rows a leaf", Shape(slotBits: 4)),
        ("nodes of 256 above rows", Shape(childBits: 8)),
        ("nodes of 256 above ids", Shape(idNodeBits: 8)),
        ("14 ids a bucket", Shape(idBucketCount: 14)),
        ("index pages of 256", Shape(indexBytes: 256)),
        ("of 1,024", Shape(indexBytes: 1_024)),
        ("of 2,048", Shape(indexBytes: 2_048)),
        ("no huge pages", Shape(source: .chunks)),
    ]

    private let store: PageStore
    private var snapshot: PageSnapshot?
    private var rows: RowTree
    private var ids: IDMap
    private var ages: FieldIndex

    init(_ shape: Shape) {
        store = PageStore(shape.source)
        rows = RowTree(slotBits: shape.slotBits, childBits: shape.childBits)
        ids = IDMap(nodeBits: shape.idNodeBits, bucketCount: shape.idBucketCount)
        guard
            let ages = FieldIndex(
                BenchmarkUser.layout, IndexDeclaration([.init(BenchmarkUser.age)]),
                pageBytes: shape.indexBytes)
        else { preconditionFailure("integers have keys") }
        self.ages = ages
    }

    var megabytes: Double? { Double(store.reservedBytes) / 1e6 }

    // MARK: Writing

    mutating func save(_ users: ArraySlice<BenchmarkUser>, batch: Int) {
        var id = ByteWriter()
        var row = ByteWriter()
        for start in stride(from: users.startIndex, to: users.endIndex, by: batch) {
            let transaction = PageTransaction(store, base: snapshot)
            for user in users[start..<min(start + batch, users.endIndex)] {
                id.removeAll()
                row.removeAll()
                id.writeText(user.id)
                user.encode(into: &row)
                id.withBytes { id in row.withBytes { save(id, $0, in: transaction) } }
            }
            snapshot = transaction.publish()
        }
    }

    private mutating func save(
        _ id: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer,
        in transaction: PageTransaction
    ) {
        let hash = KeyedHash.hash(id)
        do throws(CodecError) {
            if let old = entry(id, hash) {
                let metadata = old.metadata
                try ages.change(
                    old.slot, from: old.row, to: row, BenchmarkUser.layout, in: transaction)
                rows.set(old.slot, row: row, metadata, in: transaction)
            } else {
                let slot = rows.append(id: id, row: row, metadata(rows.count), in: transaction)
                ids.insert(hash, slot, in: transaction)
                try ages.change(slot, from: nil, to: row, BenchmarkUser.layout, in: transaction)
            }
        } catch {
            preconditionFailure("A benchmark reads what it wrote: \(error)")
        }
    }

    private func metadata(_ ordinal: Int) -> RowMetadata {
        RowMetadata(
            presence: .live,
            stamps: EntityStamps(ordinal: UInt64(ordinal), transaction: 1, updatedAt: 1),
            revision: 0)
    }

    // MARK: Reading

    private func entry(_ id: UnsafeRawBufferPointer, _ hash: UInt64) -> StoredRow? {
        ids.entry(of: id, hash, in: rows, store.pages)
    }

    private func sum(_ ids: [String], _ body: (StoredRow) -> Int) -> Int {
        var sum = 0
        var key = ByteWriter()
        for id in ids {
            key.removeAll()
            key.writeText(id)
            sum &+= key.withBytes { entry($0, KeyedHash.hash($0)).map(body) ?? 0 }
        }
        return sum
    }

    func findRows(_ ids: [String]) -> Int? {
        sum(ids) { entry in entry.id.count &+ entry.row.count &+ Int(entry.row[0]) }
    }

    func find(_ ids: [String]) -> Int {
        sum(ids) { BenchmarkUser(id: $0.id, row: $0.row).digest }
    }

    func count(scoreFrom score: Double) -> Int {
        var count = 0
        var cursor = rows.cursor(in: store.pages)
        while let entry = cursor.nextEntry() {
            if BenchmarkUser.score(in: entry.row) >= score { count += 1 }
        }
        return count
    }

    func scan() -> Int {
        var sum = 0
        var cursor = rows.cursor(in: store.pages)
        while let entry = cursor.nextEntry() {
            sum &+= BenchmarkUser(id: entry.id, row: entry.row).digest
        }
        return sum
    }

    func range(ages range: Range<Int>) -> Int {
        var sum = 0
        Self.key(range.lowerBound).withUnsafeBytes { first in
            Self.key(range.upperBound).withUnsafeBytes { end in
                // A benchmark reads what it wrote.
                try? ages.forEachEntry(from: first, to: end, of: rows, in: store.pages) { entry in
                    sum &+= BenchmarkUser(id: entry.id, row: entry.row).digest
                    return true
                }
            }
        }
        return sum
    }

    /// The key bytes of an age.
    private static func key(_ age: Int) -> [UInt8] {
        guard let part = KeyPart(.int64) else { preconditionFailure("integers have keys") }
        var stored = ByteWriter()
        var key = ByteWriter()
        stored.writeSigned(Int64(age))
        stored.withBytes { bytes in
            var reader = ByteReader(bytes)
            // What was just written is a value of the type.
            _ = try? part.encode(&reader, into: &key)
        }
        return key.copyBytes()
    }
}
