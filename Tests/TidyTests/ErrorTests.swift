import Testing

/// A program that shows an error by Foundation must show what happened, not "error 7".
@Suite("Errors")
struct ErrorTests {
    @Test("Every public error is a LocalizedError, as its message table says it")
    func localized() throws {
        let files = try Repository.shared.swiftFiles("Sources")
        let declared = files.flatMap(Self.publicErrors)
        #expect(declared.count >= 14, "\(declared)")
        let localized = Set(files.flatMap(Self.localizedErrors))
        for error in declared {
            #expect(localized.contains(error), "\(error) is no LocalizedError")
        }
    }

    @Test("Declarations of errors are recognised")
    func recognition() {
        let file = Repository.File(
            path: "x.swift",
            lines: [
                "public enum A: Error, Hashable {", "    public struct B: Sendable, Error {",
                "public indirect enum C: Error {", "package enum D: Error {",
                "public struct E: Sendable {", "extension A.B: LocalizedError {",
            ])
        #expect(Self.publicErrors(in: file) == ["A", "B", "C"])
        #expect(Self.localizedErrors(in: file) == ["B"])
    }

    private static func publicErrors(in file: Repository.File) -> [Substring] {
        let declaration =
            #/public\s+(indirect\s+)?(enum|struct)\s+(?<name>\w+)\s*:(?<list>.*)/#
        return file.code.compactMap { line in
            guard let match = line.text.firstMatch(of: declaration),
                FolderTests.words(String(match.list)).contains("Error")
            else { return nil }
            return match.name
        }
    }

    private static func localizedErrors(in file: Repository.File) -> [Substring] {
        let conformance = #/extension\s+([\w.]*\.)?(?<name>\w+)\s*:\s*LocalizedError/#
        return file.code.compactMap { $0.text.firstMatch(of: conformance)?.name }
    }
}
