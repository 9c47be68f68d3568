import CLevelDB
import Foundation

/// LevelDB with bloom filters of 10 bits a key and a block cache; it compresses with Snappy.
final class LevelDB: KeyValueStore {
    static let engine = EngineName.leveldb

    private let database: OpaquePointer
    private let options: OpaquePointer
    private let reading: OpaquePointer
    private let relaxed: OpaquePointer
    private let synced: OpaquePointer

    init(at directory: URL, cache: CacheSize) throws {
        guard let options = leveldb_options_create(), let reading = leveldb_readoptions_create(),
            let relaxed = leveldb_writeoptions_create(), let synced = leveldb_writeoptions_create()
        else { throw EngineError(Self.engine, "no options") }
        Self.tune(options, cache)
        leveldb_writeoptions_set_sync(relaxed, 0)
        leveldb_writeoptions_set_sync(synced, 1)
        var failure: UnsafeMutablePointer<CChar>?
        let database = leveldb_open(options, directory.appending(path: "db").path, &failure)
        try Self.check(failure)
        guard let database else { throw EngineError(Self.engine, "no database") }
        self.options = options
        self.reading = reading
        self.relaxed = relaxed
        self.synced = synced
        self.database = database
    }

    private static func tune(_ options: OpaquePointer, _ cache: CacheSize) {
        leveldb_options_set_create_if_missing(options, 1)
        leveldb_options_set_compression(options, Int32(leveldb_snappy_compression))
        leveldb_options_set_write_buffer_size(options, 64 << 20)
        leveldb_options_set_filter_policy(options, leveldb_filterpolicy_create_bloom(10))
        leveldb_options_set_cache(options, leveldb_cache_create_lru(cache.bytes))
    }

    func write(synced: Bool, _ body: (any KeyValueWriter) throws -> Void) throws {
        let writer = Writer(self)
        try body(writer)
        var failure: UnsafeMutablePointer<CChar>?
        leveldb_write(database, synced ? self.synced : relaxed, writer.batch, &failure)
        try Self.check(failure)
    }

    func get(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) throws -> Bool {
        var failure: UnsafeMutablePointer<CChar>?
        var count = 0
        let value = key.withUnsafeBytes { key in
            leveldb_get(
                database, reading, key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count,
                &count, &failure)
        }
        try Self.check(failure)
        guard let value else { return false }
        body(UnsafeRawBufferPointer(start: value, count: count))
        leveldb_free(value)
        return true
    }

    func forEach(
        prefix: [UInt8], through last: [UInt8]?,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let range = KeyRange(prefix: prefix, through: last)
        let iterator = leveldb_create_iterator(database, reading)
        defer { leveldb_iter_destroy(iterator) }
        prefix.withUnsafeBytes { key in
            leveldb_iter_seek(
                iterator, key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count)
        }
        while leveldb_iter_valid(iterator) != 0 {
            var count = 0
            let start = leveldb_iter_key(iterator, &count)
            let key = UnsafeRawBufferPointer(start: start, count: count)
            guard range.reaches(key) else { break }
            let content = leveldb_iter_value(iterator, &count)
            try body(key, UnsafeRawBufferPointer(start: content, count: count))
            leveldb_iter_next(iterator)
        }
        var failure: UnsafeMutablePointer<CChar>?
        leveldb_iter_get_error(iterator, &failure)
        try Self.check(failure)
    }

    /// The log is synced whole with the next synced write.
    func sync() throws {
        try write(synced: true) { try $0.put([0], []) }
    }

    func compact() throws {
        leveldb_compact_range(database, nil, 0, nil, 0)
    }

    func close() {
        leveldb_close(database)
        leveldb_options_destroy(options)
        leveldb_readoptions_destroy(reading)
        leveldb_writeoptions_destroy(relaxed)
        leveldb_writeoptions_destroy(synced)
    }

    private static func check(_ failure: UnsafeMutablePointer<CChar>?) throws {
        guard let failure else { return }
        defer { leveldb_free(failure) }
        throw EngineError(engine, String(cString: failure))
    }

    private final class Writer: KeyValueWriter {
        let store: LevelDB
        let batch = leveldb_writebatch_create()

        init(_ store: LevelDB) { self.store = store }

        deinit { leveldb_writebatch_destroy(batch) }

        func put(_ key: [UInt8], _ value: [UInt8]) throws {
            key.withUnsafeBytes { key in
                value.withUnsafeBytes { value in
                    leveldb_writebatch_put(
                        batch, key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count,
                        value.baseAddress?.assumingMemoryBound(to: CChar.self), value.count)
                }
            }
        }

        func delete(_ key: [UInt8]) throws {
            key.withUnsafeBytes { key in
                leveldb_writebatch_delete(
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
