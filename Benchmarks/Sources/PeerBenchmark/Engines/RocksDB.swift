import CRocksDB

/// RocksDB with LZ4, bloom filters of 10 bits a key, a block cache and two background jobs, as its
/// tuning guide advises for a data set that fits into memory.
enum RocksDB: LogStructuredLibrary {
    static let engine = EngineName.rocksdb

    static func tune(_ options: OpaquePointer, _ cache: CacheSize) {
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

    static let calls = LogStructuredCalls(
        makeOptions: rocksdb_options_create, makeReadOptions: rocksdb_readoptions_create,
        makeWriteOptions: rocksdb_writeoptions_create, makeBatch: rocksdb_writebatch_create,
        freeOptions: rocksdb_options_destroy, freeReadOptions: rocksdb_readoptions_destroy,
        freeWriteOptions: rocksdb_writeoptions_destroy, freeBatch: rocksdb_writebatch_destroy,
        freeIterator: rocksdb_iter_destroy, close: rocksdb_close,
        setSync: rocksdb_writeoptions_set_sync, open: rocksdb_open, write: rocksdb_write,
        put: rocksdb_writebatch_put, delete: rocksdb_writebatch_delete, get: rocksdb_get,
        free: rocksdb_free, makeSnapshot: rocksdb_create_snapshot,
        setSnapshot: rocksdb_readoptions_set_snapshot, freeSnapshot: rocksdb_release_snapshot,
        makeIterator: rocksdb_create_iterator, seek: rocksdb_iter_seek,
        isValid: rocksdb_iter_valid, key: rocksdb_iter_key, value: rocksdb_iter_value,
        next: rocksdb_iter_next, iteratorError: rocksdb_iter_get_error,
        compact: rocksdb_compact_range)
}
