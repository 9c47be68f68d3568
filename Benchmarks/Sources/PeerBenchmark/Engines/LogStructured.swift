import Foundation

/// LevelDB, or RocksDB, which descends from it and kept the shape of its C interface.
final class LogStructured<Library: LogStructuredLibrary>: KeyValueStore {
    static var engine: EngineName { Library.engine }

    private let calls = Library.calls
    private let database: OpaquePointer
    private let options: OpaquePointer
    private let reading: OpaquePointer
    private let relaxed: OpaquePointer
    private let synced: OpaquePointer

    init(at directory: URL, cache: CacheSize) throws {
        guard let options = calls.makeOptions(), let reading = calls.makeReadOptions(),
            let relaxed = calls.makeWriteOptions(), let synced = calls.makeWriteOptions()
        else { throw EngineError(Library.engine, "no options") }
        Library.tune(options, cache)
        calls.setSync(relaxed, 0)
        calls.setSync(synced, 1)
        let database = try Self.checked {
            Library.calls.open(options, directory.appending(path: "db").path, $0)
        }
        guard let database else { throw EngineError(Library.engine, "no database") }
        self.options = options
        self.reading = reading
        self.relaxed = relaxed
        self.synced = synced
        self.database = database
    }

    func write(synced: Bool, _ body: (any KeyValueWriter) throws -> Void) throws {
        let writer = Writer(self)
        try body(writer)
        try Self.checked { calls.write(database, synced ? self.synced : relaxed, writer.batch, $0) }
    }

    func get(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) throws -> Bool {
        try get(key, reading, body)
    }

    private func get(
        _ key: [UInt8], _ reading: OpaquePointer?, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws -> Bool {
        var count = 0
        let value = try Self.checked { failure in
            key.withCharacters { calls.get(database, reading, $0, $1, &count, failure) }
        }
        guard let value else { return false }
        body(UnsafeRawBufferPointer(start: value, count: count))
        calls.free(value)
        return true
    }

    func getFromSnapshot(
        _ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void
    ) throws -> Bool {
        let snapshot = calls.makeSnapshot(database)
        let reading = calls.makeReadOptions()
        calls.setSnapshot(reading, snapshot)
        defer {
            calls.freeReadOptions(reading)
            calls.freeSnapshot(database, snapshot)
        }
        return try get(key, reading, body)
    }

    func forEach(
        prefix: [UInt8], through last: [UInt8]?,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let range = KeyRange(prefix: prefix, through: last)
        let iterator = calls.makeIterator(database, reading)
        defer { calls.freeIterator(iterator) }
        prefix.withCharacters { calls.seek(iterator, $0, $1) }
        while calls.isValid(iterator) != 0 {
            var count = 0
            let start = calls.key(iterator, &count)
            let key = UnsafeRawBufferPointer(start: start, count: count)
            guard range.reaches(key) else { break }
            let content = calls.value(iterator, &count)
            try body(key, UnsafeRawBufferPointer(start: content, count: count))
            calls.next(iterator)
        }
        try Self.checked { calls.iteratorError(iterator, $0) }
    }

    /// The log is synced whole with the next synced write, in both.
    func sync() throws {
        try write(synced: true) { try $0.put([0], []) }
    }

    func compact() throws { calls.compact(database, nil, 0, nil, 0) }

    func close() {
        calls.close(database)
        calls.freeOptions(options)
        calls.freeReadOptions(reading)
        calls.freeWriteOptions(relaxed)
        calls.freeWriteOptions(synced)
    }

    /// Throws what the library left in the error that it was given.
    @discardableResult
    private static func checked<Result>(_ body: (LogStructuredCalls.Failure) -> Result) throws
        -> Result
    {
        var failure: UnsafeMutablePointer<CChar>?
        let result = body(&failure)
        guard let failure else { return result }
        defer { Library.calls.free(failure) }
        throw EngineError(Library.engine, String(cString: failure))
    }

    private final class Writer: KeyValueWriter {
        let store: LogStructured
        let batch: OpaquePointer?

        init(_ store: LogStructured) {
            self.store = store
            batch = store.calls.makeBatch()
        }

        deinit { store.calls.freeBatch(batch) }

        func put(_ key: [UInt8], _ value: [UInt8]) throws {
            key.withCharacters { key, keyCount in
                value.withCharacters { store.calls.put(batch, key, keyCount, $0, $1) }
            }
        }

        func delete(_ key: [UInt8]) throws {
            key.withCharacters { store.calls.delete(batch, $0, $1) }
        }

        /// As before this transaction: none of the measured work reads what it wrote.
        func get(_ key: [UInt8]) throws -> [UInt8]? {
            var value: [UInt8]?
            _ = try store.get(key) { value = Array($0) }
            return value
        }
    }
}

extension [UInt8] {
    /// The bytes as C's libraries take them: a pointer to characters, and how many.
    @inline(__always)
    fileprivate func withCharacters<Result>(
        _ body: (UnsafePointer<CChar>?, Int) throws -> Result
    ) rethrows -> Result {
        try withUnsafeBytes { bytes in
            try body(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
    }
}
