import CLevelDB

/// LevelDB with bloom filters of 10 bits a key and a block cache; it compresses with Snappy.
enum LevelDB: LogStructuredLibrary {
    static let engine = EngineName.leveldb

    static func tune(_ options: OpaquePointer, _ cache: CacheSize) {
        leveldb_options_set_create_if_missing(options, 1)
        leveldb_options_set_compression(options, Int32(leveldb_snappy_compression))
        leveldb_options_set_write_buffer_size(options, 64 << 20)
        leveldb_options_set_filter_policy(options, leveldb_filterpolicy_create_bloom(10))
        leveldb_options_set_cache(options, leveldb_cache_create_lru(cache.bytes))
    }

    static let calls = LogStructuredCalls(
        makeOptions: leveldb_options_create, makeReadOptions: leveldb_readoptions_create,
        makeWriteOptions: leveldb_writeoptions_create, makeBatch: leveldb_writebatch_create,
        freeOptions: leveldb_options_destroy, freeReadOptions: leveldb_readoptions_destroy,
        freeWriteOptions: leveldb_writeoptions_destroy, freeBatch: leveldb_writebatch_destroy,
        freeIterator: leveldb_iter_destroy, close: leveldb_close,
        setSync: leveldb_writeoptions_set_sync, open: leveldb_open, write: leveldb_write,
        put: leveldb_writebatch_put, delete: leveldb_writebatch_delete, get: leveldb_get,
        free: leveldb_free, makeSnapshot: leveldb_create_snapshot,
        setSnapshot: leveldb_readoptions_set_snapshot, freeSnapshot: leveldb_release_snapshot,
        makeIterator: leveldb_create_iterator, seek: leveldb_iter_seek,
        isValid: leveldb_iter_valid, key: leveldb_iter_key, value: leveldb_iter_value,
        next: leveldb_iter_next, iteratorError: leveldb_iter_get_error,
        compact: leveldb_compact_range)
}
