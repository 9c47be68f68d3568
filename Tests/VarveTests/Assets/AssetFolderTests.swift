import Foundation
import Testing
import Varve
import VarveAssets
import VarveEvents
import VarveLog
import VarveTestSupport

@Suite("Folders of assets")
struct AssetFolderTests {
    private func folder(_ base: any FileSystem) throws -> AssetFolder {
        try base.createDirectory()
        return AssetFolder(of: base, environment: SimulatedEnvironment(seed: 1))
    }

    /// Calls a body once: right before the file of an asset is opened, or its name is looked at.
    private func hook(
        _ files: HookedFileSystem, _ operation: FileSystemError.Operation, _ digest: AssetDigest,
        _ body: @escaping @Sendable () -> Void
    ) {
        let name = String(digest.description.dropFirst(2))
        files.setHook { found, file, _ in
            guard found == operation, file == name else { return }
            files.setHook(nil)
            body()
        }
    }

    @Test("Content that is kept again while a collection removes its file is there behind it")
    func keptAgain() throws {
        let files = HookedFileSystem(SimulatedDisk())
        let folder = try folder(files)
        let content = bytes(1)
        let digest = try content.withUnsafeBytes { try folder.keep($0).digest }
        let again = Lock<KeptAsset?>(nil)
        let keeping = DispatchGroup()
        hook(files, .open, digest) {
            keeping.enter()
            Thread.detachNewThread {
                let kept = try? content.withUnsafeBytes { try folder.keep($0) }
                again.withLock { $0 = kept }
                keeping.leave()
            }
            // It cannot end before the collection has removed the file. If it could, the file would go behind it.
            _ = keeping.wait(timeout: .now() + .milliseconds(200))
        }
        var collected = CollectedAssets()
        try folder.remove([digest], countingIn: &collected)
        keeping.wait()
        #expect(again.withLock { $0?.digest } == digest)
        #expect(collected.files == 1)
        try AssetFile(reference(digest), in: folder).verify()
    }

    @Test(
        "A tombstone without an entity before needs the file of its asset, that of a deleted one does not",
        arguments: [false, true])
    func tombstones(isRowless: Bool) throws {
        let folder = try folder(SimulatedDisk())
        let merge = Catalog().merging(declared: [
            DeclaredType(
                name: "Photo", idType: .int8, fields: [DeclaredField(name: "image", type: .asset)])
        ])
        var catalog = Catalog()
        for definition in merge.definitions { _ = try catalog.define(definition, in: 1) }
        let lost = reference(try Asset(bytes(1), in: try Store.inMemory(Photo.self)).digest)
        var row = ByteWriter()
        lost.store(into: &row)
        var encoder = TransactionEncoder()
        let time = Timestamp(microseconds: 0)
        encoder.begin(id: 2, time: time)
        [7 as UInt8].withUnsafeBytes { id in
            let entity = encoder.entity(merge.resolved[0].number, id)
            row.withBytes { row in
                encoder.delete(
                    entity, keepsTombstone: true, isRowless: isRowless, ordinal: Ordinal(1),
                    previous: nil, cause: .direct, row: row, lists: [])
            }
        }
        var payload = ByteWriter()
        encoder.finish(TransactionHeader(id: 2, time: time), into: &payload)
        let problem = payload.withBytes { folder.firstProblem(in: $0, catalog) }
        #expect(problem?.problem == (isRowless ? .missing : nil))
        #expect(problem?.place.property == (isRowless ? "image" : nil))
    }

    @Test(
        "What a collection removes is closed behind the lock, where its blocks may take long to free"
    )
    func closing() throws {
        let closed = Lock(0)
        let folder = try folder(ClosingCounter(SimulatedDisk(), closed))
        let digest = try bytes(1).withUnsafeBytes { try folder.keep($0).digest }
        closed.withLock { $0 = 0 }
        var collected = CollectedAssets()
        try folder.remove([digest], countingIn: &collected)
        #expect(collected.files == 1 && collected.bytes == 1_000)
        #expect(closed.withLock { $0 } == 0)
        collected.release()
        #expect(closed.withLock { $0 } == 1)
    }

    private func reference(_ digest: AssetDigest) -> AssetReference {
        AssetReference(digest: digest, byteCount: 1_000, pathExtension: "", mediaType: "")
    }

    @Test("What has the name of staged content and is no file of this program's is passed over")
    func staged() throws {
        let place = StoreTests.Place()
        let folder = try folder(POSIXFileSystem(place.url.path))
        _ = try bytes(1).withUnsafeBytes { try folder.keep($0) }
        let assets = place.url.appendingPathComponent("assets")
        let (left, other) = ("staged-1.tmp", "staged-2.tmp")
        try Data([1, 2, 3]).write(to: assets.appendingPathComponent(left))
        try FileManager.default.createDirectory(
            at: assets.appendingPathComponent(other), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            at: assets.appendingPathComponent("staged-3.tmp"),
            withDestinationURL: assets.appendingPathComponent(other))
        var collected = CollectedAssets()
        try folder.removeStaged(countingIn: &collected)
        #expect(collected.files == 1 && collected.bytes == 3)
        let names = try FileManager.default.contentsOfDirectory(atPath: assets.path)
        #expect(!names.contains(left) && names.contains(other))
    }

    @Test(
        "A file that goes between its opening and its lock is missing, and another in its place is read",
        arguments: [false, true])
    func removedMeanwhile(isMadeAgain: Bool) throws {
        let disk = SimulatedDisk()
        let files = HookedFileSystem(disk)
        let folder = try folder(files)
        let digest = try bytes(1).withUnsafeBytes { try folder.keep($0).digest }
        let name = digest.description
        hook(files, .status, digest) {
            // As if it had been removed right before the lock.
            try? disk.subdirectoryDisk("assets", String(name.prefix(2)))
                .remove(String(name.dropFirst(2)))
            guard isMadeAgain else { return }
            let other = AssetFolder(of: disk, environment: SimulatedEnvironment(seed: 2))
            _ = try? bytes(1).withUnsafeBytes { try other.keep($0) }
        }
        if isMadeAgain {
            let file = try AssetFile(reference(digest), in: folder)
            // The file that is there is locked: nothing removes it.
            var collected = CollectedAssets()
            try folder.remove([digest], countingIn: &collected)
            #expect(collected.files == 0 && disk.assetNames.count == 1)
            try file.verify()
        } else {
            let problem = #expect(throws: AssetProblem.self) {
                _ = try AssetFile(reference(digest), in: folder)
            }
            #expect(problem == .missing)
        }
    }
}

/// Counts the files that are closed.
private final class ClosingCounter: ForwardingFileSystem {
    private final class File: ForwardingFile {
        let base: any StoreFile
        private let closed: Lock<Int>

        init(_ base: any StoreFile, _ closed: Lock<Int>) {
            self.base = base
            self.closed = closed
        }

        deinit { closed.withLock { $0 += 1 } }
    }

    let base: any FileSystem
    private let closed: Lock<Int>

    init(_ base: any FileSystem, _ closed: Lock<Int>) {
        self.base = base
        self.closed = closed
    }

    func open(_ name: String, _ mode: FileOpenMode) throws(FileSystemError) -> any StoreFile {
        File(try base.open(name, mode), closed)
    }

    func subdirectory(_ name: String) -> any FileSystem {
        ClosingCounter(base.subdirectory(name), closed)
    }
}
