import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@testable import VarveInspection

@EntityModel
private struct Named {
    let id: String
    var mark: Int
    // So many that all are read at once.
    var a = 1
    var b = "b"
    var c = 2.5
    var d = true
}

@EntityModel
private struct Counted {
    let id: Int8
    var mark: Int
}

@EntityModel
private struct Unique {
    let id: UUID
    var mark: Int
}

/// Rows whose ids a condition names are looked up; what is found is what a scan of all finds.
@Suite("Queries by ids")
struct QueryLookupTests {
    private static let texts = [
        "a", "b", "K9", "\u{212A}9", "x;y", "x\u{37E}y", "`", "\u{1FEF}", "\u{E9}", "e\u{301}", "",
        "line\r\n", "KKKKKKK",
    ]
    private static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))

    private let folder: TestFolder
    private var path: String { folder.file("ids.varve") }

    init() throws {
        folder = try TestFolder()
        let url = URL(fileURLWithPath: folder.file("ids.varve"))
        let store = try Store(at: url, Named.self, Counted.self, Unique.self)
        try store.write("Fill") { context in
            for (mark, id) in Self.texts.enumerated() {
                try Named(id: id, mark: mark % 3).save(to: &context)
            }
            for id in Int8.min...Int8.max { try Counted(id: id, mark: 0).save(to: &context) }
            try Unique(id: Self.uuid, mark: 0).save(to: &context)
        }
        try store.write("Delete") { context in
            try Named.query("b").resolve(in: context)?.delete(from: &context)
        }
        try store.close()
    }

    private func found(_ text: String) throws -> [[String]] {
        try QueryStore.answer(text, in: Inspection(at: path))
    }

    private func explained(_ text: String) throws -> String {
        try Inspection(at: path).explain(InspectionQuery(text))[0]
    }

    /// `not (id != …)` is the condition whose rows are not looked up.
    private static func scanned(_ condition: String) -> String {
        condition.replacing(/id == (\S+)/) { "not (id != \($0.output.1))" }
    }

    @Test(
        "Find what a scan finds, whatever the ids are, in a log and in a checkpoint",
        arguments: [false, true])
    func laws(isCompacted: Bool) throws {
        if isCompacted { _ = try StoreCompaction.compact(POSIXFileSystem(path)) }
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let constants =
            Self.texts.filter { !$0.isEmpty && !$0.contains("\r\n") }.map { "'\($0)'" } + ["'none'"]
        for _ in 0..<300 {
            let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                "id == \(constants.randomElement(using: &random)!)"
            }
            let union = parts.joined(separator: " or ")
            let condition = Bool.random(using: &random) ? "(\(union)) and mark > 0" : union
            let type = Bool.random(using: &random) ? "deleted Named" : "Named"
            for end in [
                "select id, mark", "select count()", "select sum(mark)",
                "group by mark select count()", "order by -mark select id limit 2",
                "select id, mark, a, b, c, d",
            ] {
                let expected = try found("\(type) where \(Self.scanned(condition)) \(end)")
                #expect(
                    try found("\(type) where \(condition) \(end)") == expected,
                    "seed \(seed): \(type) where \(condition) \(end)")
            }
        }
    }

    @Test(
        "A number is looked up where the type of the ids can hold it",
        arguments: [
            ("-128", 1), ("127", 1), ("128", 0), ("-129", 0), ("384", 0),
            ("18446744073709551615", 0), ("7.0", 1), ("7.5", 0),
        ])
    func numbers(number: String, count: Int) throws {
        #expect(try found("Counted where id == \(number) select count()") == [["\(count)"]])
        #expect(try found("Counted where not (id != \(number)) select count()") == [["\(count)"]])
    }

    @Test("A UUID is looked up by its text")
    func uuids() throws {
        let id = Self.uuid.uuidString
        #expect(try found("Unique where id == '\(id)' select mark") == [["0"]])
        #expect(try found("Unique where id == 'no UUID' select mark").isEmpty)
    }

    @Test(
        "An explanation says what is looked up",
        arguments: [
            ("Named where id == 'a'", "look up 1 id of Named"),
            ("Named where 'a' == id and mark == 1", "look up 1 id of Named"),
            ("Counted where id in (1, 2, 2, 400)", "look up 2 ids of Counted"),
            ("Named where id == 'a' or id == 'b'", "look up 2 ids of Named"),
            // The letter and the Kelvin sign are equal.
            ("Named where id == 'K9'", "look up 2 ids of Named"),
            ("Named where id == 'a' or mark == 1", "scan 12 entities of Named"),
            ("Named where id == '\u{E9}'", "scan 12 entities of Named"),
            ("Named where id == 'KKKKKKK'", "scan 12 entities of Named"),
            ("Named where id != 'a'", "scan 12 entities of Named"),
            ("Counted where id == 7.0", "scan 256 entities of Counted"),
        ])
    func explanations(query: String, expected: String) throws {
        #expect(try explained(query) == expected)
    }

    @Test("No characters beyond those that are known are equal to one of ASCII")
    func twins() {
        var found: [String: Unicode.Scalar] = [:]
        for value in UInt32(0x80)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let decomposed = String(scalar).decomposedStringWithCanonicalMapping
            if decomposed.utf8.allSatisfy({ $0 < 0x80 }) { found[decomposed] = scalar }
        }
        let twins = SoughtIDs.twins.map { (String($0.key), $0.value) }
        #expect(found == Dictionary(uniqueKeysWithValues: twins))
    }
}
