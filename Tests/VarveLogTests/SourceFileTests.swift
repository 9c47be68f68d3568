import Foundation
import Testing
import VarveLog
import VarveTestSupport

@Suite("Files that move into a store")
struct SourceFileTests {
    private static let refusal = FileSystemError(
        .synchronizeDirectory, file: "assets", reason: .system(code: 5))

    private let place: TemporaryStore
    private let target: POSIXFileSystem
    private let path: String

    init() throws {
        place = try TemporaryStore()
        try POSIXFileSystem(place.path).createDirectory()
        target = POSIXFileSystem(place.path + "/target")
        try target.createDirectory()
        path = place.path + "/photo.jpg"
        try Data("the only copy".utf8).write(to: URL(fileURLWithPath: path))
    }

    private func content(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("A file moves back to its path where what follows the move fails")
    func movesBack() throws {
        let error = #expect(throws: FileSystemError.self) {
            _ = try SourceFile(path).move(to: "name", in: target) { () throws(FileSystemError) in
                #expect(content(place.path + "/target/name") == "the only copy")
                throw Self.refusal
            }
        }
        #expect(error == Self.refusal)
        #expect(content(path) == "the only copy")
        #expect(try target.list() == [])
    }

    @Test("What takes the path meanwhile is not replaced, and the error says where the file is now")
    func pathIsTaken() throws {
        let error = #expect(throws: FileSystemError.self) {
            _ = try SourceFile(path).move(to: "name", in: target) { () throws(FileSystemError) in
                for taken in [path, path + ".1"] {
                    #expect(
                        FileManager.default.createFile(
                            atPath: taken, contents: Data("another".utf8)))
                }
                throw Self.refusal
            }
        }
        #expect(error.map { "\($0)" }?.contains("\(path) (it is \(path).2 now)") == true)
        #expect(content(path) == "another" && content(path + ".1") == "another")
        #expect(content(path + ".2") == "the only copy")
    }

    @Test("A file that cannot go back stays, and the error names both places")
    func stranded() throws {
        let folder = place.path + "/folder"
        let inside = folder + "/photo.jpg"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: path, toPath: inside)
        let error = #expect(throws: FileSystemError.self) {
            _ = try SourceFile(inside).move(to: "name", in: target) {
                () throws(FileSystemError) in
                try? FileManager.default.removeItem(atPath: folder)
                throw Self.refusal
            }
        }
        let moved = place.path + "/target/name"
        #expect(error.map { "\($0)" }?.contains("\(moved) back to \(inside)") == true)
        #expect(content(moved) == "the only copy")
    }

    @Test("A name that is taken is not replaced: the file stays, and is to be copied")
    func nameIsTaken() throws {
        let taken = place.path + "/target/name"
        #expect(FileManager.default.createFile(atPath: taken, contents: Data("other".utf8)))
        #expect(try !SourceFile(path).move(to: "name", in: target) {})
        #expect(content(path) == "the only copy" && content(taken) == "other")
    }

    @Test("A file that changed since it was opened is not removed")
    func changed() throws {
        let source = try SourceFile(path)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(", and more".utf8))
        try handle.close()
        try source.remove()
        #expect(content(path) == "the only copy, and more")
        try SourceFile(path).remove()
        #expect(content(path) == nil)
    }
}
