import Foundation
import Testing
import Varve

@testable import AptGraph

@Suite("Commands")
struct CommandTests {
    private func imported() async throws -> Workplace {
        let place = try Workplace()
        try await place.importing(.sampleIndex)
        return place
    }

    // MARK: show

    @Test("A package is shown with its fields and its relations on both sides")
    func show() async throws {
        let run = await (try imported()).run("show", "editor")
        #expect(run.status == .success)
        #expect(
            run.output == """
                editor 2.0-1 (amd64)
                Edits texts of all kinds

                  Section       editors
                  Priority      optional
                  Maintainer    Ann Example <ann@example.org>
                  Source        editor
                  Installed     2,048 KiB
                  Download      1.5 MB
                  Homepage      https://example.org/editor
                  SHA-256       00ff10000000000000000000000000000000000000000000000000000000abcd
                  Depends       libtext (>= 1.0) | libtext-old, mail-agent, gone
                  Recommends    manual

                """)
    }

    @Test("Who needs a package and who wishes for it is shown with it")
    func showReverse() async throws {
        let run = await (try imported()).run("show", "libbase")
        #expect(run.output.contains("\n  Needed by     2 packages: libtext, postman\n"))
        let postman = await (try imported()).run("show", "postman")
        #expect(postman.output.contains("\n  Wished for by 1 package: libbase\n"))
    }

    @Test("A virtual package is shown by who provides it and who needs it")
    func showVirtual() async throws {
        let run = await (try imported()).run("show", "mail-agent")
        #expect(
            run.output == """
                mail-agent (virtual package)

                  Provided by   postman
                  Needed by     1 package: editor

                """)
    }

    @Test("JSON has the names of all relations, and the expressions where they say more")
    func showJSON() async throws {
        let object = try await (try imported()).run(json: "show", "editor")
        #expect(object["version"] as? String == "2.0-1")
        #expect(
            object["sha256"] as? String
                == "00ff10000000000000000000000000000000000000000000000000000000abcd")
        let relations = try #require(object["relations"] as? [String: [String]])
        #expect(relations["depends"] == ["libtext", "libtext-old", "mail-agent", "gone"])
        #expect(relations["recommends"] == ["manual"])
        let expressions = try #require(object["expressions"] as? [String: String])
        #expect(expressions.keys.sorted() == ["depends"])
    }

    // MARK: why

    @Test("The shortest path is found, and worded as the index words it")
    func why() async throws {
        let run = await (try imported()).run("why", "editor", "libbase")
        #expect(run.status == .success)
        #expect(
            run.output == """
                editor
                  depends on libtext [libtext (>= 1.0) | libtext-old]
                    pre-depends on libbase

                """)
    }

    @Test("A path leads through a virtual package to who provides it")
    func whyVirtual() async throws {
        let place = try await imported()
        let object = try await place.run(json: "why", "editor", "postman")
        #expect(object["found"] as? Bool == true)
        let steps = try #require(object["steps"] as? [[String: String]])
        #expect(steps.map { $0["name"] } == ["mail-agent", "postman"])
        #expect(steps.map { $0["link"] } == ["depends", "provided-by"])
        let ends = await place.run("why", "editor", "gone")
        #expect(ends.output == "editor\n  depends on gone\n", "a name that no package has")
    }

    @Test("Where nothing leads there, it says so, and the status is 1")
    func whyNot() async throws {
        let place = try await imported()
        let run = await place.run("why", "libbase", "editor")
        #expect(run.status == .failure)
        #expect(run.output == "no dependencies lead from libbase to editor\n")
        #expect(run.errors.isEmpty)
        let object = try await place.run(json: "why", "manual", "editor")
        #expect(object["found"] as? Bool == false)
        let itself = await place.run("why", "editor", "editor")
        #expect(itself.status == .success)
    }

    @Test("Paths in random graphs are as short as a plain search finds them")
    func whyLaw() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededNumbers(state: seed)
        let count = 40
        let edges = (0..<count).map { _ in
            (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                Int.random(in: 0..<count, using: &generator)
            }
        }
        var context = Context()
        for (id, targets) in edges.enumerated() {
            try Package(
                id: "p\(id)", version: "1", architecture: "all",
                depends: .ids(targets.map { "p\($0)" })
            ).save(to: &context)
        }
        let graph = PackageGraph(context: context)
        for start in 0..<count {
            let distances = Self.distances(from: start, edges)
            for end in 0..<count {
                let path = graph.path(from: "p\(start)", to: "p\(end)")
                #expect(path?.steps.count == distances[end], "\(start) to \(end), seed \(seed)")
            }
        }
    }

    /// By relaxation until nothing changes.
    private static func distances(from start: Int, _ edges: [[Int]]) -> [Int?] {
        var distances = [Int?](repeating: nil, count: edges.count)
        distances[start] = 0
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for (source, targets) in edges.enumerated() {
                guard let distance = distances[source] else { continue }
                for target in targets where distances[target].map({ $0 > distance + 1 }) ?? true {
                    distances[target] = distance + 1
                    hasChanged = true
                }
            }
        }
        return distances
    }

    // MARK: rdepends

    @Test("Those that name a package are listed by what they say of it")
    func reverseDependencies() async throws {
        let place = try await imported()
        #expect(
            await place.run("rdepends", "libbase").output == """
                1 package pre-depends on libbase
                  libtext  Text library

                1 package depends on libbase
                  postman  Delivers mail; an EDITOR may call it

                """)
        let gone = try await place.run(json: "rdepends", "gone")
        let packages = try #require(gone["packages"] as? [String: [String]])
        #expect(packages["depends"] == ["editor"], "a name that no package has")
        #expect(
            await place.run("rdepends", "editor").output
                == "no package needs or wishes for editor\n")
    }

    // MARK: find

    @Test("All words must be there, in any case; names come before summaries")
    func find() async throws {
        let place = try await imported()
        let run = await place.run("find", "edit")
        #expect(run.status == .success)
        #expect(
            run.output == """
                3 packages match edit
                  editor   Edits texts of all kinds
                  manual   How to edit
                  postman  Delivers mail; an EDITOR may call it

                """)
        #expect(
            await place.run("find", "TEXT lib").lines.map { $0.split(separator: " ")[0] }
                == ["1", "libtext"])
        let none = await place.run("find", "text", "mail")
        #expect(none.status == .failure)
        #expect(none.output == "no package has 'text mail' in its name or summary\n")
        #expect(await place.run("find", "--json", "nowhere").output == "[\n\n]\n")
    }

    @Test("Ranks: the name, its start, inside it, in part, the summary alone")
    func ranks() throws {
        var context = Context()
        for (id, summary) in [
            ("z", "a b"), ("x-a", "b"), ("x-a-b", ""), ("a-b-c", ""), ("a-b", ""), ("b", "Ä a"),
        ] {
            try Package(id: id, version: "1", architecture: "all", summary: summary)
                .save(to: &context)
        }
        let found = WordSearch(["A", "b"]).packages(in: context).map(\.id)
        #expect(found == ["a-b", "a-b-c", "x-a-b", "b", "x-a", "z"])
        #expect(WordSearch(["ä"]).packages(in: context).map(\.id) == ["b"])
    }

    // MARK: remove and restore

    @Test("A package goes with its links and comes back with them")
    func removeAndRestore() async throws {
        let place = try await imported()
        let removed = await place.run("remove", "libtext")
        #expect(removed.output == "removed libtext 1:1.2-3; 2 packages depend on it\n")
        let show = await place.run("show", "libtext")
        #expect(show.status == .failure)
        #expect(show.errors.contains("'aptgraph restore libtext' brings it back"))
        #expect(await place.run("remove", "libtext").errors.contains("removed already"))
        #expect(await place.run("why", "editor", "libtext").status == .failure)
        let stats = try await place.run(json: "stats")
        #expect(stats["packages"] as? Int == 4)
        #expect(stats["removed"] as? Int == 1)
        let restored = await place.run("restore", "libtext")
        #expect(restored.output == "restored libtext 1:1.2-3; 2 packages depend on it\n")
        #expect(await place.run("why", "editor", "libbase").lines.count == 3)
        try place.withStore { store in
            #expect(
                store.context.ids(Package.self)
                    == ["editor", "libtext", "postman", "libbase", "manual"])
            #expect(store.lastTransaction.rawValue == 3)
        }
    }

    @Test("An import brings a removed package back")
    func importRestores() async throws {
        let place = try await imported()
        _ = await place.run("remove", "libtext")
        try await place.importing(.sampleIndex)
        #expect(await place.run("show", "libtext").status == .success)
        try place.withStore { store in
            let editor = PackageGraph(context: store.context).packageWithNames("editor")
            #expect(
                editor?.$depends.ids == ["libtext", "libtext-old", "mail-agent", "gone"],
                "in the index's order again")
        }
    }

    // MARK: stats

    @Test("Everything is counted")
    func statistics() async throws {
        let object = try await (try imported()).run(json: "stats")
        let expected = [
            "packages": 5, "virtualPackages": 2, "sources": 5, "maintainers": 2, "sections": 4,
            "removed": 0, "preDepends": 1, "depends": 6, "recommends": 1, "suggests": 1,
            "enhances": 0, "provides": 2, "unknownNames": 2, "transactions": 1,
        ]
        for (key, value) in expected { #expect(object[key] as? Int == value, "\(key)") }
        let needed = try #require(object["mostNeeded"] as? [[String: Any]])
        #expect(needed.first?["name"] as? String == "libbase")
        #expect(needed.first?["packages"] as? Int == 2)
    }
}
