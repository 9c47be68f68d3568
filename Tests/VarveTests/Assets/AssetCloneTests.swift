import Foundation
import Testing
import Varve
import VarveLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Copies of files, with and without a file system that shares blocks.
@Suite("Assets that are clones")
struct AssetCloneTests {
    private let place = StoreTests.Place()
    private let folder: URL

    init() throws {
        folder = place.url.appendingPathExtension("sources")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func removeFolder() { try? FileManager.default.removeItem(at: folder) }

    /// Whether the file system of a folder clones files, found out without the library's own call.
    private func canClone(in folder: URL) throws -> Bool {
        let names = ["probe-source", "probe-target"].map { folder.appendingPathComponent($0) }
        defer { for name in names { try? FileManager.default.removeItem(at: name) } }
        try bytes(0, count: 8_192).write(to: names[0])
        #if os(Linux)
            let (source, target) = (
                open(names[0].path, O_RDONLY), open(names[1].path, O_CREAT | O_RDWR, 0o600)
            )
            defer {
                close(source)
                close(target)
            }
            // FICLONE: _IOW(0x94, 9, int).
            return ioctl(target, 0x4004_9409, source) == 0
        #else
            return false
        #endif
    }

    /// How many bytes this thread has given to write calls; nil where the system does not count them.
    private func writtenBytes() -> Int? {
        let counts = try? String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
        let line = counts?.split(separator: "\n").first { $0.hasPrefix("wchar:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }
    }

    @Test(
        "A file is cloned where the file system can, and copied with equal content where it cannot")
    func clones() throws {
        defer { removeFolder() }
        let canClone = try canClone(in: folder)
        let store = try Store(at: place.url, Photo.self)
        let size = 3 * (1 << 20) + 7
        let source = folder.appendingPathComponent("source.mov")
        try bytes(1, count: size).write(to: source)
        _ = try Asset(bytes(2), in: store)
        let before = writtenBytes()
        let asset: Asset<Data> = try Asset(contentsOf: source, in: store)
        if let before, let after = writtenBytes() {
            // The log and what a test prints are another matter; the content is three megabytes.
            #expect(canClone ? after - before < 1 << 20 : after - before >= size)
        }
        #expect(asset.byteCount == size)
        #expect(try asset.data(in: store) == bytes(1, count: size))
        // What is shared stays what it was when the source changes.
        let handle = try FileHandle(forWritingTo: source)
        try handle.write(contentsOf: Data("changed".utf8))
        try handle.truncate(atOffset: 5_000)
        try handle.close()
        #expect(try asset.data(in: store) == bytes(1, count: size))
        try store.write { try Photo(id: "1", image: asset).save(to: &$0) }
        try store.close()
        let again = try Store(at: place.url, Photo.self)
        let image = try Photo.require("1", in: again.context).image
        #expect(try image?.data(in: again) == bytes(1, count: size))
    }

    @Test("A refused clone leaves an empty file, and one that is made has all of the content")
    func refused() throws {
        defer { removeFolder() }
        let canClone = try canClone(in: folder)
        let directory = POSIXFileSystem(folder.path)
        for (number, count) in [0, 1, 4_096, 300_000].enumerated() {
            let path = folder.appendingPathComponent("source\(number)")
            try bytes(number, count: count).write(to: path)
            let file = try directory.open("copy\(number)", .createExclusive)
            let isCloned = try SourceFile(path.path).clone(to: file)
            #expect(isCloned == canClone, "\(count) bytes")
            #expect(try file.length().rawValue == (isCloned ? UInt64(count) : 0))
        }
        // A file that is none of the real file system's.
        let memory = MemoryFileSystem(name: "memory")
        try memory.createDirectory()
        let source = try SourceFile(folder.appendingPathComponent("source3").path)
        #expect(try !source.clone(to: memory.open("copy", .createExclusive)))
    }

    @Test("Between two file systems a file is copied, and one that is moved goes behind its copy")
    func otherFileSystem() throws {
        defer { removeFolder() }
        guard let other = try otherFolder() else { return }
        defer { try? FileManager.default.removeItem(at: other) }
        let store = try Store(at: place.url, Photo.self)
        for (number, isMoved) in [false, true].enumerated() {
            let source = other.appendingPathComponent("\(number).png")
            try bytes(number, count: 300_000).write(to: source)
            let asset: Asset<Data> =
                isMoved
                ? try Asset(moving: source, in: store) : try Asset(contentsOf: source, in: store)
            #expect(try asset.data(in: store) == bytes(number, count: 300_000))
            #expect(FileManager.default.fileExists(atPath: source.path) == !isMoved)
        }
    }

    /// A folder in another file system than the store's; nil where there is none to be had.
    private func otherFolder() throws -> URL? {
        var (here, there) = (stat(), stat())
        guard stat(folder.path, &here) == 0, stat("/dev/shm", &there) == 0,
            here.st_dev != there.st_dev
        else { return nil }
        let url = URL(fileURLWithPath: "/dev/shm/varve-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            return url
        } catch {
            // Others may keep this process from writing there.
            return nil
        }
    }
}
