import CLMDB
import Foundation
import VarveEvents

/// Users in LMDB, as the comparison tables keep it: a writable map, no syncs, one read transaction
/// for all reads of a kind. Ids and rows are the bytes that the engine has; the index is a
/// second database of ages with ids.
struct LMDBStore: UserStore {
    private let directory: URL
    private let environment: OpaquePointer
    private let users: MDB_dbi
    private let ages: MDB_dbi

    init() {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "engine-benchmark-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("\(error)")
        }
        var environment: OpaquePointer?
        check(mdb_env_create(&environment))
        guard let environment else { preconditionFailure("LMDB makes no environment") }
        check(mdb_env_set_mapsize(environment, 4 << 30))
        check(mdb_env_set_maxdbs(environment, 2))
        let flags = UInt32(MDB_WRITEMAP | MDB_NOSYNC | MDB_NOTLS | MDB_NORDAHEAD)
        check(mdb_env_open(environment, directory.path, flags, 0o644))
        self.environment = environment
        var (users, ages) = (MDB_dbi(), MDB_dbi())
        Self.transaction(environment, flags: 0) { transaction in
            check(mdb_dbi_open(transaction, "users", UInt32(MDB_CREATE), &users))
            check(mdb_dbi_open(transaction, "ages", UInt32(MDB_CREATE), &ages))
        }
        self.users = users
        self.ages = ages
    }

    func close() {
        mdb_env_close(environment)
        // What is left over in the temporary directory does no harm.
        try? FileManager.default.removeItem(at: directory)
    }

    private static func transaction<Result>(
        _ environment: OpaquePointer, flags: Int32, _ body: (OpaquePointer?) -> Result
    ) -> Result {
        var transaction: OpaquePointer?
        check(mdb_txn_begin(environment, nil, UInt32(flags), &transaction))
        let result = body(transaction)
        check(mdb_txn_commit(transaction))
        return result
    }

    private func reading<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
        Self.transaction(environment, flags: MDB_RDONLY, body)
    }

    // MARK: Writing

    func save(_ saved: ArraySlice<BenchmarkUser>, batch: Int) {
        var id = ByteWriter()
        var row = ByteWriter()
        for start in stride(from: saved.startIndex, to: saved.endIndex, by: batch) {
            Self.transaction(environment, flags: 0) { transaction in
                for user in saved[start..<min(start + batch, saved.endIndex)] {
                    id.removeAll()
                    row.removeAll()
                    id.writeText(user.id)
                    user.encode(into: &row)
                    id.withBytes { id in
                        row.withBytes { put(id, $0, age: user.age, transaction) }
                    }
                }
            }
        }
    }

    private func put(
        _ id: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer, age: Int,
        _ transaction: OpaquePointer?
    ) {
        let old = value(of: id, transaction).map(BenchmarkUser.age)
        var (key, value) = (MDB_val(id), MDB_val(row))
        check(mdb_put(transaction, users, &key, &value, 0))
        if old == age { return }
        if let old {
            Self.withEntry(age: old, id) { entry in
                var key = MDB_val(entry)
                check(mdb_del(transaction, ages, &key, nil))
            }
        }
        Self.withEntry(age: age, id) { entry in
            var (key, value) = (MDB_val(entry), MDB_val())
            check(mdb_put(transaction, ages, &key, &value, 0))
        }
    }

    /// The key of an index entry: a byte of age, then the id.
    private static func withEntry(
        age: Int, _ id: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        withUnsafeTemporaryAllocation(byteCount: 1 + id.count, alignment: 1) { entry in
            entry[0] = UInt8(age)
            UnsafeMutableRawBufferPointer(rebasing: entry[1...]).copyMemory(from: id)
            body(UnsafeRawBufferPointer(entry))
        }
    }

    // MARK: Reading

    private func value(
        of id: UnsafeRawBufferPointer, _ transaction: OpaquePointer?
    ) -> UnsafeRawBufferPointer? {
        var (key, value) = (MDB_val(id), MDB_val())
        let status = mdb_get(transaction, users, &key, &value)
        if status == MDB_NOTFOUND { return nil }
        check(status)
        return value.bytes
    }

    private func sum(
        _ ids: [String],
        _ body: (_ id: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer) -> Int
    ) -> Int {
        reading { transaction in
            var sum = 0
            var key = ByteWriter()
            for id in ids {
                key.removeAll()
                key.writeText(id)
                sum &+= key.withBytes { id in value(of: id, transaction).map { body(id, $0) } ?? 0 }
            }
            return sum
        }
    }

    func findRows(_ ids: [String]) -> Int? {
        sum(ids) { id, row in id.count &+ row.count &+ Int(row[0]) }
    }

    func find(_ ids: [String]) -> Int {
        sum(ids) { id, row in BenchmarkUser(id: id, row: row).digest }
    }

    func count(scoreFrom score: Double) -> Int {
        sumOfAll { BenchmarkUser.score(in: $1) >= score ? 1 : 0 }
    }

    func scan() -> Int { sumOfAll { BenchmarkUser(id: $0, row: $1).digest } }

    private func sumOfAll(
        _ body: (_ id: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer) -> Int
    ) -> Int {
        reading { transaction in
            var sum = 0
            forEach(users, MDB_val(), MDB_FIRST, transaction) { id, row in
                sum &+= body(id, row)
                return true
            }
            return sum
        }
    }

    func range(ages range: Range<Int>) -> Int {
        reading { transaction in
            var sum = 0
            withUnsafeBytes(of: UInt8(range.lowerBound)) { first in
                forEach(ages, MDB_val(first), MDB_SET_RANGE, transaction) { entry, _ in
                    guard entry[0] < range.upperBound else { return false }
                    let id = UnsafeRawBufferPointer(rebasing: entry[1...])
                    if let row = value(of: id, transaction) {
                        sum &+= BenchmarkUser(id: id, row: row).digest
                    }
                    return true
                }
            }
            return sum
        }
    }

    private func forEach(
        _ database: MDB_dbi, _ first: MDB_val, _ position: MDB_cursor_op,
        _ transaction: OpaquePointer?,
        while body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        var cursor: OpaquePointer?
        check(mdb_cursor_open(transaction, database, &cursor))
        defer { mdb_cursor_close(cursor) }
        var (key, value) = (first, MDB_val())
        var status = mdb_cursor_get(cursor, &key, &value, position)
        while status == 0, body(key.bytes, value.bytes) {
            status = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        if status != MDB_NOTFOUND { check(status) }
    }
}

private func check(_ status: Int32) {
    precondition(status == 0, String(cString: mdb_strerror(status)))
}

extension MDB_val {
    fileprivate init(_ bytes: UnsafeRawBufferPointer) {
        self.init(
            mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    fileprivate var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: mv_data, count: mv_size)
    }
}
