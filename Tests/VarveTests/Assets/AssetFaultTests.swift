import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

/// Disks that refuse, or are full, while an asset is made and saved.
@Suite("Assets that cannot be written")
struct AssetFaultTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        static let diskFull: Int32 = 28

        let code: Int32
        /// How many operations fail.
        let count: Int
        let isHalfDone: Bool

        func fault(at operation: Int) -> FaultyFileSystem.Fault {
            FaultyFileSystem.Fault(
                operation: operation, count: count, code: code, isHalfDone: isHalfDone)
        }

        var testDescription: String {
            "error \(code), \(count == .max ? "from there on" : "once")"
                + (isHalfDone ? ", half done" : "")
        }
    }

    static let refusals = [5, Refusal.diskFull].flatMap { code in
        [1, .max].flatMap { count in
            [false, true].map { Refusal(code: code, count: count, isHalfDone: $0) }
        }
    }

    /// One way to make an asset of the bytes 1.
    enum Source: CaseIterable {
        case value, pieces, file, moved

        var isFile: Bool { self == .file || self == .moved }

        func make(_ file: URL, in store: Store) throws -> Asset<Data> {
            switch self {
            case .value: try Asset(bytes(1), in: store)
            case .pieces: try Asset(chunks: [bytes(1).prefix(400), bytes(1)[400...]], in: store)
            case .file: try Asset(contentsOf: file, in: store)
            case .moved: try Asset(moving: file, in: store)
            }
        }
    }

    private func digest(_ number: Int) throws -> String {
        try Asset(bytes(number), in: Store.inMemory(Photo.self)).digest.description
    }

    // MARK: Making

    @Test(
        "An asset that cannot be made says why, leaves no file, and the store goes on working",
        arguments: refusals, Source.allCases)
    func making(refusal: Refusal, source: Source) throws {
        var refused: Set<FileSystemError.Operation> = []
        var position = 0
        while let error = try make(source, refusal, at: position) {
            if let operation = error.operation { refused.insert(operation) }
            position += 1
        }
        #expect(
            refused.isSuperset(of: [
                .createDirectory, .open, .write, .synchronize, .rename, .synchronizeDirectory,
            ]), "\(refused)")
    }

    /// What came of a refused operation.
    private struct Outcome {
        /// What the error names; nil where the asset was made in spite of it.
        var operation: FileSystemError.Operation?
    }

    /// Makes an asset while the operation at a position is refused. Nil where there was no such operation.
    private func make(
        _ source: Source, _ refusal: Refusal, at position: Int
    ) throws -> Outcome? {
        let comment: Comment = "operation \(position)"
        let disk = SimulatedDisk()
        let files = FaultyFileSystem(disk)
        let store = try openPhotos(files, retention: .newestState)
        let file = StoreTests.Place().url.appendingPathExtension("jpg")
        if source.isFile { try bytes(1).write(to: file) }
        defer { try? FileManager.default.removeItem(at: file) }
        let first = files.operations
        files.setFault(refusal.fault(at: first + position))
        var outcome = Outcome()
        do {
            let asset = try source.make(file, in: store)
            guard files.operations > first + position else { return nil }
            files.setFault(nil)
            #expect(try asset.data(in: store) == bytes(1), comment)
            #expect(isThere(file) == (source == .file), comment)
        } catch let StoreError.log(.fileSystem(error)) {
            outcome.operation = error.operation
            files.setFault(nil)
            check(error, refusal, comment)
            #expect(isThere(file) == source.isFile, comment)
            if refusal.count == 1 { #expect(!disk.hasStagedAssets, comment) }
        }
        #expect(store.lastTransaction == 0, comment)
        try goOn(store, disk, comment)
        if source.isFile, !isThere(file) { try bytes(1).write(to: file) }
        let again = try source.make(file, in: store)
        try store.write { try Photo(id: "1", image: again).save(to: &$0) }
        try store.close()
        let reopened = try openPhotos(disk, seed: 2)
        #expect(
            try Photo.require("1", in: reopened.context).image?.data(in: reopened) == bytes(1),
            comment)
        return outcome
    }

    @Test("The asynchronous forms throw errors of that kind, too, and leave no file")
    func makingAsynchronously() async throws {
        let disk = SimulatedDisk()
        let files = FaultyFileSystem(disk)
        let store = try openPhotos(files, retention: .newestState)
        let pieces = AsyncStream { continuation in
            continuation.yield(bytes(1))
            continuation.finish()
        }
        for position in 0..<4 {
            let code = Refusal.diskFull
            files.setFault(.init(operation: files.operations + position, count: .max, code: code))
            let errors = [
                await #expect(throws: StoreError.self) { try await Asset(bytes(1), in: store) },
                await #expect(throws: StoreError.self) {
                    let _: Asset<Data> = try await Asset(chunks: pieces, in: store)
                },
            ]
            files.setFault(nil)
            for error in errors {
                guard case .log(.fileSystem(let error))? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                check(error, Refusal(code: code, count: 1, isHalfDone: false), "\(position)")
            }
        }
        try goOn(store, disk, "asynchronously")
    }

    @Test("A file that can neither move nor be copied stays at its path, and moves when it can")
    func strayFile() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Photo.self)
        _ = try Asset(bytes(2), in: store)
        let file = place.url.appendingPathExtension("jpg")
        defer { try? FileManager.default.removeItem(at: file) }
        try bytes(1).write(to: file)
        // In the place of the folder that the asset comes into.
        let assets = place.url.appendingPathComponent("assets")
        let stray = assets.appendingPathComponent(String(try digest(1).prefix(2)))
        try Data([1]).write(to: stray)
        let error = #expect(throws: StoreError.self) {
            let _: Asset<Data> = try Asset(moving: file, in: store)
        }
        #expect("\(try #require(error))".contains(stray.lastPathComponent))
        #expect(try Data(contentsOf: file) == bytes(1))
        let names = try FileManager.default.contentsOfDirectory(atPath: assets.path)
        #expect(!names.contains { $0.hasPrefix("staged-") })
        // Nothing is remembered of it.
        try FileManager.default.removeItem(at: stray)
        let moved: Asset<Data> = try Asset(moving: file, in: store)
        #expect(try moved.data(in: store) == bytes(1) && !isThere(file))
        try store.write { try Photo(id: "1", image: moved).save(to: &$0) }
    }

    private func isThere(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    private func check(_ error: FileSystemError, _ refusal: Refusal, _ comment: Comment) {
        let shown = "\(StoreError.log(.fileSystem(error)))"
        #expect(error.reason == .system(code: refusal.code), comment)
        #expect(shown.contains("cannot \(error.operation.rawValue) "), "\(shown)")
        // The place inside of the store, or the store itself where its directory is synced.
        #expect(error.file.contains("assets") || error.file == "simulated", "\(shown)")
        if refusal.code == Refusal.diskFull {
            #expect(shown.contains("make room on the disk"), "\(shown)")
        }
    }

    /// A later save succeeds, and a compaction leaves nothing but what that names.
    private func goOn(_ store: Store, _ disk: SimulatedDisk, _ comment: Comment) throws {
        try store.write { try Photo(id: "2", image: Asset(bytes(2), in: store)).save(to: &$0) }
        #expect(
            try Photo.require("2", in: store.context).image?.data(in: store) == bytes(2), comment)
        let report = try store.compact()
        #expect(report.assetsLeftover == nil, comment)
        #expect(try disk.assetNames == [digest(2)], comment)
        #expect(!disk.hasStagedAssets, comment)
    }
}

extension SimulatedDisk {
    /// Whether contents are there that have not got a name.
    var hasStagedAssets: Bool { image.files.keys.contains { $0.hasPrefix("assets/staged-") } }
}
