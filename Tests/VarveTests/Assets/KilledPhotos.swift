import Foundation
import Testing
import Varve
import VarveTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The work of a process that is going to be killed. Transaction by transaction it is known beforehand, so the number
/// of a store's last transaction says which contents it must have.
struct KilledPhotos {
    /// The number of each photo's content.
    typealias Contents = [Int: Int]

    static let byteCount = 20_000
    /// The photos that are worked on.
    private static let photoCount = 3

    private enum Step {
        case value, moved, file, deletion, undo
    }

    /// What transaction `number` does, where the process began behind transaction `start`. An undo takes back what the
    /// process itself has done: the store may have forgotten the rest.
    private static func step(_ number: Int, start: Int) -> Step {
        switch number % 8 {
        case 0: .deletion
        case 3 where number - 1 > start: .undo
        case 5: .moved
        case 6: .file
        default: .value
        }
    }

    private static func photo(of number: Int) -> Int { number % photoCount }

    // MARK: What a store must have

    /// By transaction.
    private(set) var contents: [Contents] = [[:]]

    /// Adds the transactions of a process that began behind the last one known, through `last`.
    mutating func add(through last: Int) {
        let start = contents.count - 1
        for number in (start + 1)..<(last + 1) {
            var next = contents[number - 1]
            let photo = Self.photo(of: number)
            switch Self.step(number, start: start) {
            case .undo: next = contents[number - 2]
            case .deletion where next[photo] != nil: next[photo] = nil
            case .value, .moved, .file, .deletion: next[photo] = number
            }
            contents.append(next)
        }
    }

    // MARK: The process

    /// Works until the process is killed, and appends a byte to a file for each transaction that was acknowledged.
    static func work(at path: String, behind start: Int) throws {
        let store = try Store(
            at: URL(fileURLWithPath: path), retention: .transactions(4), Photo.self)
        let log = open(path + ".acknowledged", O_CREAT | O_WRONLY | O_APPEND, 0o600)
        for number in (start + 1)..<100_000 {
            try perform(number, start: start, at: path, in: store)
            _ = write(log, "x", 1)
            try readParts(of: store)
            if number.isMultiple(of: 7) { try store.compact() }
            if number.isMultiple(of: 11) {
                try store.backup(to: URL(fileURLWithPath: "\(path).backup-\(number)"))
            }
        }
    }

    private static func perform(
        _ number: Int, start: Int, at path: String, in store: Store
    ) throws {
        let id = "\(photo(of: number))"
        let step = step(number, start: start)
        if step == .undo {
            try store.undo()
            return
        }
        let file = URL(fileURLWithPath: "\(path).\(number).jpg")
        if step == .moved || step == .file {
            try bytes(number, count: byteCount).write(to: file)
        }
        try store.write { context in
            if step == .deletion, Photo.query(id).resolve(in: context) != nil {
                try Photo.delete(id: id, from: &context)
                return
            }
            let image: Asset<Data> =
                switch step {
                case .moved: try Asset(moving: file, in: store)
                case .file: try Asset(contentsOf: file, in: store)
                case .value, .deletion, .undo:
                    try Asset(bytes(number, count: byteCount), in: store)
                }
            try Photo(id: id, caption: "\(number)", image: image).save(to: &context)
        }
        if step == .file { try FileManager.default.removeItem(at: file) }
    }

    private struct WrongPart: Error {}

    /// Reads a range of each photo, whose caption says what must be there.
    private static func readParts(of store: Store) throws {
        for photo in Photo.query().resolve(in: store.context) {
            let range = 7_000..<7_100
            guard let number = Int(photo.caption), let image = photo.image,
                try image.bytes(range, in: store) == bytes(number, count: byteCount)[range]
            else { throw WrongPart() }
        }
    }

    // MARK: What is left

    /// Compares the photos of a store with what they must be, all of each.
    func check(_ store: Store, _ comment: Comment) throws {
        let last = Int(store.lastTransaction.rawValue)
        var found: Contents = [:]
        for photo in Photo.query().resolve(in: store.context) {
            let number = try #require(Int(photo.caption))
            found[try #require(Int(photo.id))] = number
            #expect(
                try photo.image?.data(in: store) == bytes(number, count: Self.byteCount), comment)
        }
        #expect(found == contents[last], comment)
    }

    /// Behind a compaction only the files are there that a photo or the tombstone of one names.
    static func checkFiles(of store: Store, at url: URL, _ comment: Comment) throws {
        #expect(try store.compact().assetsLeftover == nil, comment)
        let photos =
            Photo.query().resolve(in: store.context)
            + Deleted<Photo>.query().resolve(in: store.context).map(\.entity)
        let named = Set(photos.compactMap { $0.image?.digest.description })
        #expect(try Set(files(at: url)) == named, comment)
    }

    /// The names of all files of assets, without the period and folder in between.
    private static func files(at url: URL) throws -> [String] {
        let assets = url.appendingPathComponent("assets").path
        // Before the first asset there is no folder.
        guard FileManager.default.fileExists(atPath: assets) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: assets)
            .filter { $0.utf8.count > 2 }.map { $0.replacing("/", with: "") }
    }
}
