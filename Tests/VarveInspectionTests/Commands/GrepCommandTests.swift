import Foundation
import Testing
import Varve
import VarveTestSupport

@testable import VarveInspection
@testable import VarveTool

@EntityModel
private struct Page {
    let id: String
    var title: String
    var text: String
    var tags: [String] = []
    var size = 0
    var image = Data()
}

@Suite("varve grep")
struct GrepCommandTests {
    /// `3 + Chat 7 title`: the transaction, whether it added or removed, and the place.
    private func found(_ arguments: String..., in store: SampleStore) throws -> [String] {
        try Self.found(ToolRun(all: ["grep", "--json", store.path] + arguments))
    }

    fileprivate static func found(_ run: ToolRun) throws -> [String] {
        #expect(run.errors.isEmpty && run.status == (run.lines.isEmpty ? .failure : .success))
        return try run.lines.map { line in
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            func text(_ key: String) -> String? {
                object[key].flatMap { $0 as? NSNull == nil ? "\($0)" : nil }
            }
            let isAdded = Int(text("countAfter") ?? "") ?? 0 > Int(text("countBefore") ?? "") ?? 0
            let parts = [
                text("transaction"), isAdded ? "+" : "−", text("type"), text("id"),
                text("field") ?? text("place"),
            ]
            return parts.compactMap { $0 }.joined(separator: " ")
        }
    }

    @Test("A transaction is found where the number of places changes, newest first")
    func changes() throws {
        let store = try SampleStore.filled()
        #expect(try found("world", in: store) == ["3 + Chat 7 title"])
        #expect(try found("Hello", in: store) == ["2 + Chat 7 title"])
        #expect(
            try found("Bob", in: store) == [
                "7 + User bob name", "6 − User bob name", "2 + User bob name",
            ])
        #expect(try found("nowhere", in: store) == [])
    }

    @Test("Of a long text the whole is searched, also where the log holds what changed alone")
    func longTexts() throws {
        let store = try SampleStore.filled()
        #expect(try found("Xll work", in: store) == ["4 + User ann bio"])
        #expect(try found("All work", in: store) == ["4 − User ann bio", "2 + User ann bio"])
        let line = ToolRun("grep", store.path, "All work", "--color=never").lines[1]
        #expect(line.hasPrefix("  − User \"ann\"  bio  ") && line.hasSuffix("  (60 → 59)"))
    }

    @Test("Numbers and dates are found as they are shown")
    func otherValues() throws {
        let store = try SampleStore.filled()
        #expect(try found("30", "--field=age", in: store) == ["2 + User ann age"])
        #expect(try found("2001-01-01T00:00:00.25", in: store) == ["2 + Chat 7 seen"])
    }

    @Test("Options narrow and widen what is searched")
    func options() throws {
        let store = try SampleStore.filled()
        #expect(try found("hello", in: store) == [])
        #expect(try found("-i", "hello", in: store) == ["2 + Chat 7 title"])
        #expect(try found("-E", "^[A-Z]el+o, ", in: store) == ["3 + Chat 7 title"])
        #expect(try found("-Ei", "^hello$", in: store) == ["3 − Chat 7 title", "2 + Chat 7 title"])
        #expect(try found("--type=User", "Hello", in: store) == [])
        #expect(try found("--field=name", "Ann", in: store) == ["2 + User ann name"])
        #expect(
            try found("--ids", "bob", in: store)
                == ["7 + User bob id", "6 − User bob id", "2 + User bob id"])
        #expect(try found("--labels", "Rename", in: store) == ["3 + label"])
        #expect(try found("-n1", "Bob", in: store) == ["7 + User bob name"])
        #expect(try found("-r", "-n1", "Bob", in: store) == ["2 + User bob name"])
        #expect(try found("--after=6", "Bob", in: store) == ["7 + User bob name"])
        #expect(try found("--before=6", "Bob", in: store) == ["2 + User bob name"])
    }

    @Test("What cannot be searched for is refused, with what may be meant")
    func refusals() throws {
        let store = try SampleStore.filled()
        let type = ToolRun("grep", "--type=Chta", store.path, "x")
        #expect(type.status == .failure)
        #expect(type.errors.hasSuffix("there is User, Chat; did you mean 'Chat'?\n"))
        let field = ToolRun("grep", "--type=User", "--field=nmae", store.path, "x")
        #expect(
            field.errors
                == "varve: there is no property 'nmae' of 'User'; there is age, bio, name; did you mean 'name'?\n"
        )
        #expect(ToolRun("grep", store.path, "").status == .usage)
        let expression = ToolRun("grep", "-E", store.path, "a(b")
        #expect(expression.status == .usage)
        #expect(expression.errors.contains("'a(b' is no TEXT: it is a regular expression ("))
        #expect(ToolRun("grep", store.path, "x").status == .failure)
    }

    @Test("A line is cut around the place that was found")
    func excerpts() throws {
        let store = try SampleStore.filled()
        let run = ToolRun(
            all: ["grep", store.path, "Xll", "--color=never"], terminalWidth: 60)
        #expect(run.lines[1].hasPrefix("  + User \"ann\"  bio  Xll work and no play. All"))
        for width in [24, 40, 60, 200] {
            let run = ToolRun(
                all: ["grep", "--color=never", store.path, "play. All"], terminalWidth: width)
            #expect(run.lines.count > 1)
            if width >= 60 { #expect(run.lines[1].contains("play. All")) }
        }
        let full = ToolRun("grep", "--full", "--color=never", store.path, "Xll")
        #expect(full.lines[1].count > 1_000)
    }

    @Test("Of a damaged store the sound part is searched, and what is missing is listed")
    func damage() throws {
        let store = try SampleStore.filled(segmentBytesMax: 600)
        let sound = try found("Bob", in: store)
        // Inside of a transaction: what lies behind it is found all the same.
        try store.flip(byteAt: 464 + 60)
        let run = ToolRun("grep", "--json", store.path, "Bob")
        #expect(run.status == .failure)
        #expect(run.lines.count >= 1 && run.lines.count <= sound.count)
        #expect(run.errors.hasPrefix("varve: \(store.path) is damaged: "))
        #expect(run.errors.contains("\n  lost: transaction"))
        #expect(run.errors.contains("\n  damaged: segment-0000000001"))
    }

    @Test("A search that met damage goes on with another inspection, and finds the rest")
    func goingOn() throws {
        let store = try SampleStore(segmentBytesMax: 600)
        let users = SampleStore.users
        let (former, changed) = (SampleStore.longText, "X" + SampleStore.longText.dropFirst())
        try store.transaction(kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        try store.transaction { encoder in
            for (ordinal, id) in ["ann", "bob"].enumerated() {
                encoder.insert(
                    encoder.user(id), UInt64(ordinal) + 1, try SampleStore.user(id, bio: former))
            }
        }
        try store.transaction { encoder in
            // Newest first: of ann's text the next transaction says all, for bob's the log is replayed.
            for id in ["bob", "ann"] {
                encoder.update(
                    encoder.user(id), 2, users, 2, try former.stored(), try changed.stored())
            }
        }
        try store.transaction { encoder in
            encoder.update(
                encoder.user("ann"), 3, users, 2, try changed.stored(), try "none".stored())
        }
        try store.close()
        let sound = try Inspection(at: store.path)
        func rest(_ search: TextSearch, in inspection: Inspection) throws -> [String] {
            var found: [String] = []
            while let result = try search.next(in: inspection) {
                found += result.changes.map {
                    "\(result.transaction.id) \($0.place) \($0.countBefore) \($0.countAfter)"
                }
            }
            return found
        }
        let expected = try rest(try TextSearch(TextPattern("All work")), in: sound)
        #expect(expected.count == 5)
        try store.flip(byteAt: 464 + 60)
        let search = try TextSearch(TextPattern("All work"))
        let damaged = try Inspection(at: store.path)
        var found: [String] = []
        #expect(throws: InspectionError.self) {
            while let result = try search.next(in: damaged) {
                found += result.changes.map {
                    "\(result.transaction.id) \($0.place) \($0.countBefore) \($0.countAfter)"
                }
            }
        }
        #expect(found.count == 1)
        try store.flip(byteAt: 464 + 60)
        #expect(found + (try rest(search, in: sound)) == expected)
    }

    @Test("Found is what a model of the history says", arguments: [1, 2, 3, 4])
    func model(seed: UInt64) throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-grep-\(UUID().uuidString).varve")
        defer { try? FileManager.default.removeItem(at: url) }
        var random = SeededGenerator(seed: seed)
        let store = try Store(at: url, Page.self)
        var history = History()
        for _ in 0..<60 { try history.change(store, &random) }
        try store.close()
        for needle in ["ab", "ba b", "aab", "bb", "7"] {
            let run = ToolRun("grep", "--json", url.path, needle)
            let expected = history.changes(of: needle)
            #expect(try Self.found(run).sorted() == expected.sorted(), "seed \(seed), '\(needle)'")
        }
    }

    @Test("With no memory for former texts the same is found", arguments: [5, 6])
    func bounded(seed: UInt64) throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-grep-\(UUID().uuidString).varve")
        defer { try? FileManager.default.removeItem(at: url) }
        var random = SeededGenerator(seed: seed)
        let store = try Store(at: url, Page.self)
        var history = History()
        for _ in 0..<40 { try history.change(store, &random) }
        try store.close()
        for needle in ["ab", "aab"] {
            let inspection = try Inspection(at: url.path)
            let outcomes = try [TextStash.bytesMax, 3_000, 0].map { bytesMax in
                let search = try TextSearch(TextPattern(needle))
                search.longTexts = LongTexts(bytesMax: bytesMax)
                var found: [String] = []
                while let result = try search.next(in: inspection) {
                    found += result.changes.map {
                        "\(result.transaction.id) \($0.place) \($0.countBefore) \($0.countAfter)"
                    }
                }
                return found
            }
            #expect(outcomes[1] == outcomes[0] && outcomes[2] == outcomes[0], "seed \(seed)")
            #expect(!outcomes[0].isEmpty)
        }
    }

    @Test("A stash keeps texts, reuses their room, and holds no more in memory than it may")
    func stash() throws {
        var random = SeededGenerator(seed: 9)
        let stash = TextStash(bytesMax: 2_000)
        var texts: [Int: [UInt8]] = [:]
        var places: [Int: TextStash.Place] = [:]
        for _ in 0..<2_000 {
            let key = Int.random(in: 0..<20, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                if let place = places.removeValue(forKey: key) { stash.release(place) }
                texts[key] = nil
            } else {
                let length = Int.random(in: 0..<600, using: &random)
                let text = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                places[key] = try stash.keep(text, replacing: places[key])
                texts[key] = text
            }
            #expect(stash.bytesInMemory <= 2_000)
        }
        for (key, place) in places { #expect(try stash.text(at: place) == texts[key]) }
        #expect(stash.fileLength < 60_000)
    }

    /// What a store holds behind each of its transactions.
    private struct History {
        private var states: [UInt64: [String: Page]] = [:]
        private var state: [String: Page] = [:]

        mutating func change(_ store: Store, _ random: inout SeededGenerator) throws {
            let id = "p\(Int.random(in: 0..<4, using: &random))"
            if state[id] != nil, Int.random(in: 0..<8, using: &random) == 0 {
                try store.write { try Page.delete(id: id, from: &$0) }
                state[id] = nil
            } else if Int.random(in: 0..<8, using: &random) == 0, store.canUndo {
                try store.undo()
                state = Dictionary(
                    uniqueKeysWithValues: Page.query().resolve(in: store.context).map {
                        ($0.id, $0)
                    })
            } else {
                let page = Self.edited(state[id], id, &random)
                try store.write { try page.save(to: &$0) }
                state[id] = page
            }
            states[store.lastTransaction.rawValue] = state
        }

        private static func edited(
            _ page: Page?, _ id: String, _ random: inout SeededGenerator
        ) -> Page {
            func letters(_ count: Int) -> String {
                String((0..<count).map { _ in "ab ".randomElement(using: &random) ?? "a" })
            }
            guard var page else {
                // Longer than what is logged whole.
                let long = Int.random(in: 0..<3, using: &random) > 0 ? 1_500 : 20
                return Page(
                    id: id, title: letters(3), text: letters(long), tags: [letters(2), letters(2)],
                    size: Int.random(in: 0..<100, using: &random), image: Data(letters(2_000).utf8))
            }
            switch Int.random(in: 0..<5, using: &random) {
            case 0: page.title = letters(3)
            case 1: page.tags.append(letters(2))
            case 2: page.image[Int.random(in: 0..<2_000, using: &random)] = 0x61
            default:
                var text = Array(page.text)
                let place = Int.random(in: 0..<text.count, using: &random)
                let end = min(text.count, place + Int.random(in: 0..<3, using: &random))
                text.replaceSubrange(
                    place..<end, with: letters(Int.random(in: 0..<3, using: &random)))
                page.text = String(text) + (text.isEmpty ? "a" : "")
            }
            return page
        }

        func changes(of needle: String) -> [String] {
            var before: [String: Page] = [:]
            var changes: [String] = []
            for (transaction, after) in states.sorted(by: { $0.key < $1.key }) {
                for id in Set(before.keys).union(after.keys) {
                    for field in ["title", "text", "tags", "size"] {
                        let counts = [before[id], after[id]].map { page in
                            page.map { Self.count(needle, $0, field) } ?? 0
                        }
                        guard counts[0] != counts[1] else { continue }
                        let sign = counts[1] > counts[0] ? "+" : "−"
                        changes.append("\(transaction) \(sign) Page \(id) \(field)")
                    }
                }
                before = after
            }
            return changes
        }

        private static func count(_ needle: String, _ page: Page, _ field: String) -> Int {
            let texts =
                switch field {
                case "title": [page.title]
                case "text": [page.text]
                case "tags": page.tags
                default: ["\(page.size)"]
                }
            return texts.reduce(0) { $0 + $1.components(separatedBy: needle).count - 1 }
        }
    }
}
