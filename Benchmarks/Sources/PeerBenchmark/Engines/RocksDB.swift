import CRocksDB
import Foundation

/// RocksDB with LZ4, bloom filters of 10 bits a key, a block cache and two background jobs, as its tuning
/// guide advises for a data set that fits into memory.
final class RocksDB: KeyValueStore {
    static let engine = EngineName.rocksdb

    private let database: OpaquePointer
    private let options: OpaquePointer
    private let reading: OpaquePointer
    private let relaxed: OpaquePointer
    private let synced: OpaquePointer

    init(at directory: URL, cache: CacheSize) throws {
        guard let options = rocksdb_options_create(), let reading = rocksdb_readoptions_create(),
            let relaxed = rocksdb_writeoptions_create(), let synced = rocksdb_writeoptions_create()
        else { throw EngineError(Self.engine, "no options") }
        Self.tune(options, cache)
        rocksdb_writeoptions_set_sync(relaxed, 0)
        rocksdb_writeoptions_set_sync(synced, 1)
        var failure: UnsafeMutablePointer<CChar>?
        let database = rocksdb_open(options, directory.appending(path: "db").path, &failure)
        try Self.check(failure)
        guard let database else { throw EngineError(Self.engine, "no database") }
        self.options = options
        self.reading = reading
        self.relaxed = relaxed
        self.synced = synced
        self.database = database
    }

    private static func tune(_ options: OpaquePointer, _ cache: CacheSize) {
        rocksdb_options_set_create_if_missing(options, 1)
        rocksdb_options_set_compression(options, Int32(rocksdb_lz4_compression))
        rocksdb_options_increase_parallelism(options, 2)
        rocksdb_options_set_write_buffer_size(options, 64 << 20)
        let table = rocksdb_block_based_options_create()
        rocksdb_block_based_options_set_filter_policy(
            table, rocksdb_filterpolicy_create_bloom_full(10))
        let blocks = rocksdb_cache_create_lru(cache.bytes)
        rocksdb_block_based_options_set_block_cache(table, blocks)
        rocksdb_options_set_block_based_table_factory(options, table)
        rocksdb_cache_destroy(blocks)
        rocksdb_block_based_options_destroy(table)
    }

    func write(synced: Bool, _ body: (any KeyValueWriter) throws -> Void) throws {
        let writer = Writer(self)
        try body(writer)
        var failure: UnsafeMutablePointer<CChar>?
        rocksdb_write(database, synced ? self.synced : relaxed, writer.batch, &failure)
        try Self.check(failure)
    }

    func get(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) throws -> Bool {
        var failure: UnsafeMutablePointer<CChar>?
        var count = 0
        let value = key.withUnsafeBytes { key in
            rocksdb_get(
                database, reading, key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count,
                &count, &failure)
        }
        try Self.check(failure)
        guard let value else { return false }
        body(UnsafeRawBufferPointer(start: value, count: count))
        rocksdb_free(value)
        return true
    }

    func forEach(
        prefix: [UInt8], through last: [UInt8]?,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let range = KeyRange(prefix: prefix, through: last)
        let iterator = rocksdb_create_iterator(database, reading)
        defer { rocksdb_iter_destroy(iterator) }
        prefix.withUnsafeBytes { key in
            rocksdb_iter_seek(
                iterator, key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count)
        }
        while rocksdb_iter_valid(iterator) != 0 {
            var count = 0
            let start = rocksdb_iter_key(iterator, &count)
            let key = UnsafeRawBufferPointer(start: start, count: count)
            guard range.reaches(key) else { break }
            let content = rocksdb_iter_value(iterator, &count)
            try body(key, UnsafeRawBufferPointer(start: content, count: count))
            rocksdb_iter_next(iterator)
        }
        var failure: UnsafeMutablePointer<CChar>?
        rocksdb_iter_get_error(iterator, &failure)
        try Self.check(failure)
    }

    func sync() throws {
        var failure: UnsafeMutablePointer<CChar>?
        rocksdb_flush_wal(database, 1, &failure)
        try Self.check(failure)
    }

    func compact() throws {
        rocksdb_compact_range(database, nil, 0, nil, 0)
    }

    func close() {
        rocksdb_close(database)
        rocksdb_options_destroy(options)
        rocksdb_readoptions_destroy(reading)
        rocksdb_writeoptions_destroy(relaxed)
        rocksdb_writeoptions_destroy(synced)
    }

    private static func check(_ failure: UnsafeMutablePointer<CChar>?) throws {
        guard let failure else { return }
        defer { rocksdb_free(failure) }
        throw EngineError(engine, String(cString: failure))
    }

    private final class Writer: KeyValueWriter {
        let store: RocksDB
        let batch = rocksdb_writebatch_create()

        init(_ store: RocksDB) { self.store = store }

        deinit { rocksdb_writebatch_destroy(batch) }

        func put(_ key: [UInt8], _ value: [UInt8]) throws {
            key.withUnsafeBytes { key in
                value.withUnsafeBytes { value in
                    rocksdb_writebatch_put(
                        batch, key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count,
                        value.baseAddress?.assumingMemoryBound(to: CChar.self), value.count)
                }
            }
        }

        func delete(_ key: [UInt8]) throws {
            key.withUnsafeBytes { key in
                rocksdb_writebatch_delete(
                    batch, key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count)
            }
        }

        /// As before this transaction: none of the measured work reads what it wrote.
        func get(_ key: [UInt8]) throws -> [UInt8]? {
            var value: [UInt8]?
            _ = try store.get(key) { value = Array($0) }
            return value
        }
    }
}
