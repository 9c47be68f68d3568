import CLMDB
import Foundation

/// LMDB with a writable map, which is its fastest form here; one read transaction is kept and
/// renewed, as its manual advises, once for all reads of a batch. Writes and syncs as asked: `MDB_NOSYNC` and `mdb_env_sync`.
final class LMDB: KeyValueStore {
    static let engine = EngineName.lmdb

    private let environment: OpaquePointer
    private let database: MDB_dbi
    private var reader: OpaquePointer?
    private var readers = 0
    private var isHeld = false
    private let writing = NSLock()

    init(at directory: URL, cache: CacheSize) throws {
        var environment: OpaquePointer?
        try check(mdb_env_create(&environment))
        guard let environment else { throw EngineError(.lmdb, "no environment") }
        try check(mdb_env_set_mapsize(environment, 16 << 30))
        let flags = UInt32(MDB_WRITEMAP | MDB_NOSYNC | MDB_NOTLS | MDB_NORDAHEAD)
        try check(mdb_env_open(environment, directory.path, flags, 0o644))
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, 0, &transaction))
        var database: MDB_dbi = 0
        try check(mdb_dbi_open(transaction, nil, 0, &database))
        try check(mdb_txn_commit(transaction))
        self.environment = environment
        self.database = database
    }

    func write(synced: Bool, _ body: (any KeyValueWriter) throws -> Void) throws {
        try writing.withLock {
            var transaction: OpaquePointer?
            try check(mdb_txn_begin(environment, nil, 0, &transaction))
            guard let transaction else { return }
            do {
                try body(Writer(transaction, database))
            } catch {
                mdb_txn_abort(transaction)
                throw error
            }
            try check(mdb_txn_commit(transaction))
            if synced { try sync() }
        }
    }

    func get(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) throws -> Bool {
        try reading { transaction in
            guard let value = try find(key, transaction, database) else { return false }
            body(value)
            return true
        }
    }

    func get(_ keys: some Sequence<[UInt8]>, _ body: (UnsafeRawBufferPointer) -> Void) throws {
        try reading { transaction in
            let database = database
            for key in keys {
                if let value = try find(key, transaction, database) { body(value) }
            }
        }
    }

    /// Every read of LMDB has a transaction, which is a snapshot.
    func getFromSnapshot(
        _ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void
    ) throws -> Bool {
        try get(key, body)
    }

    func forEach(
        prefix: [UInt8], through last: [UInt8]?,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let range = KeyRange(prefix: prefix, through: last)
        try reading { transaction in
            var cursor: OpaquePointer?
            try check(mdb_cursor_open(transaction, database, &cursor))
            defer { mdb_cursor_close(cursor) }
            var value = MDB_val()
            var key = MDB_val()
            var status = prefix.withUnsafeBytes { bytes in
                key = MDB_val(bytes)
                return mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
            }
            while status == 0, range.reaches(key.bytes) {
                try body(key.bytes, value.bytes)
                status = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            }
            if status != MDB_NOTFOUND { try check(status) }
        }
    }

    func beginReading() throws {
        endReading()
        try enter()
        isHeld = true
    }

    func endReading() {
        guard isHeld else { return }
        isHeld = false
        leave()
    }

    private func reading<Result>(_ body: (OpaquePointer?) throws -> Result) throws -> Result {
        try enter()
        defer { leave() }
        return try body(reader)
    }

    private func enter() throws {
        if readers == 0 {
            if reader == nil {
                try check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &reader))
            } else {
                try check(mdb_txn_renew(reader))
            }
        }
        readers += 1
    }

    private func leave() {
        readers -= 1
        if readers == 0 { mdb_txn_reset(reader) }
    }

    func sync() throws { try check(mdb_env_sync(environment, 1)) }

    /// LMDB reuses its pages in place: a compacted copy would be another file.
    func compact() throws { try sync() }

    func backUp(to directory: URL) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try check(mdb_env_copy2(environment, directory.path, UInt32(MDB_CP_COMPACT)))
    }

    func close() {
        if let reader { mdb_txn_abort(reader) }
        mdb_env_close(environment)
    }

    private final class Writer: KeyValueWriter {
        let transaction: OpaquePointer
        let database: MDB_dbi

        init(_ transaction: OpaquePointer, _ database: MDB_dbi) {
            self.transaction = transaction
            self.database = database
        }

        func put(_ key: [UInt8], _ value: [UInt8]) throws {
            try check(
                key.withUnsafeBytes { key in
                    value.withUnsafeBytes { value in
                        var key = MDB_val(key)
                        var value = MDB_val(value)
                        return mdb_put(transaction, database, &key, &value, 0)
                    }
                })
        }

        func delete(_ key: [UInt8]) throws {
            try check(
                key.withUnsafeBytes { key in
                    var key = MDB_val(key)
                    return mdb_del(transaction, database, &key, nil)
                })
        }

        func get(_ key: [UInt8]) throws -> [UInt8]? {
            try find(key, transaction, database).map { Array($0) }
        }
    }
}

private func find(
    _ key: [UInt8], _ transaction: OpaquePointer?, _ database: MDB_dbi
) throws -> UnsafeRawBufferPointer? {
    var value = MDB_val()
    let status = key.withUnsafeBytes { key in
        var key = MDB_val(key)
        return mdb_get(transaction, database, &key, &value)
    }
    if status == MDB_NOTFOUND { return nil }
    try check(status)
    return value.bytes
}

private func check(_ status: Int32) throws {
    guard status == 0 else { throw EngineError(.lmdb, String(cString: mdb_strerror(status))) }
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
