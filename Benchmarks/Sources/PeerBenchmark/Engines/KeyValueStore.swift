import Foundation

/// An ordered map of bytes to bytes: what LMDB, RocksDB and LevelDB have in common.
protocol KeyValueStore: AnyObject, SendableMetatype {
    static var engine: EngineName { get }

    init(at directory: URL, cache: CacheSize) throws
    /// Runs one write transaction. Writers of other threads may run at the same time where the
    /// engine lets them.
    func write(synced: Bool, _ body: (any KeyValueWriter) throws -> Void) throws
    /// Holds one read transaction for the reads to come, where that spares each of them its own.
    func beginReading() throws
    func endReading()
    /// Calls `body` with the value, valid during the call only.
    func get(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) throws -> Bool
    /// The same, through a snapshot that is taken for it.
    func getFromSnapshot(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) throws -> Bool
    /// The same for one key after the other, each looked up by itself; what they are read through is found once.
    func get(_ keys: some Sequence<[UInt8]>, _ body: (UnsafeRawBufferPointer) -> Void) throws
    /// Calls `body` with every key that starts so, in order, and its value.
    func forEach(
        prefix: [UInt8], through last: [UInt8]?,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Void
    ) throws
    func sync() throws
    func compact() throws
    func backUp(to directory: URL) throws
    func close()
}

extension KeyValueStore {
    func beginReading() {}
    func endReading() {}

    func backUp(to directory: URL) throws {
        throw EngineError(Self.engine, "backups of this engine are not measured")
    }

    func get(_ keys: some Sequence<[UInt8]>, _ body: (UnsafeRawBufferPointer) -> Void) throws {
        for key in keys { _ = try get(key, body) }
    }
}

/// What a transaction may do.
protocol KeyValueWriter: AnyObject {
    func put(_ key: [UInt8], _ value: [UInt8]) throws
    func delete(_ key: [UInt8]) throws
    /// The value as this transaction sees it.
    func get(_ key: [UInt8]) throws -> [UInt8]?
}

/// The keys of the layout: a letter for what it is, then what it is ordered by.
enum Key {
    static func user(_ id: String) -> [UInt8] { [UInt8(ascii: "u")] + id.utf8 }
    static func post(_ id: String) -> [UInt8] { [UInt8(ascii: "p")] + id.utf8 }
    static func email(_ email: String) -> [UInt8] { [UInt8(ascii: "e")] + email.utf8 }

    static func ages(_ age: Int) -> [UInt8] {
        [UInt8(ascii: "a"), UInt8(age >> 8), UInt8(age & 255)]
    }
    static func age(_ age: Int, _ id: String) -> [UInt8] { ages(age) + id.utf8 }

    static func cities(_ city: String) -> [UInt8] { [UInt8(ascii: "c")] + city.utf8 + [0] }
    static func city(_ city: String, _ id: String) -> [UInt8] { cities(city) + id.utf8 }

    static func authors(_ author: String) -> [UInt8] { [UInt8(ascii: "w")] + author.utf8 + [0] }
    static func author(_ author: String, _ post: String) -> [UInt8] { authors(author) + post.utf8 }

    static let users = [UInt8(ascii: "u")]
    /// The bytes of an id at the end of a key of an index.
    static let idBytes = 16
}
