import Foundation
import Testing
import Varve

@testable import AptGraph

@Suite("Importing")
struct ImportTests {
    @Test("An import reports one JSON object with what it did and what it cost")
    func report() async throws {
        let place = try Workplace()
        let report = try await place.run(
            json: "import", try place.write(.sampleIndex), "--architecture=amd64")
        #expect(
            Set(report.keys) == [
                "packages", "dependencies", "skipped", "transactions", "seconds", "storeBytes",
                "peakBytes",
            ])
        #expect(report["packages"] as? Int == 5)
        #expect(report["dependencies"] as? Int == 9)
        #expect(report["skipped"] as? Int == 0)
        #expect(report["transactions"] as? Int == 1)
        let bytes = try #require(report["storeBytes"] as? Int)
        #expect(try Measurement.byteCount(ofDirectory: place.store) == Int64(bytes))
        #expect(try #require(report["peakBytes"] as? Int) > 1_000_000)
        #expect(try #require(report["seconds"] as? Double) > 0)
    }

    @Test("Everything is durable when the import ends")
    func durability() async throws {
        let place = try Workplace()
        try await place.importing(.sampleIndex)
        try place.withStore { store in
            #expect(store.recovery.endedCleanly)
            #expect(store.recovery.dropped == nil)
            #expect(store.durableTransaction == store.lastTransaction)
        }
    }

    @Test("A thousand packages make one transaction")
    func batches() async throws {
        let place = try Workplace()
        let text = (1...2_500).map { "Package: p\($0)\nVersion: 1\nArchitecture: all\n\n" }
        try await place.importing(text.joined())
        try place.withStore { store in
            #expect(store.context.count(Package.self) == 2_500)
            #expect(store.lastTransaction.rawValue == 3)
            #expect(
                store.context.ids(Package.self) == (1...2_500).map { "p\($0)" },
                "the order is the index's")
        }
    }

    @Test("Importing the same file again writes nothing")
    func again() async throws {
        let place = try Workplace()
        try await place.importing(.sampleIndex)
        let before = try Measurement.byteCount(ofDirectory: place.store)
        let second = try await place.importing(.sampleIndex)
        #expect(second.output.contains("nothing is new, so nothing was written"))
        try place.withStore { #expect($0.lastTransaction.rawValue == 1) }
        // Opening and closing may add a seal, but no transaction.
        let after = try Measurement.byteCount(ofDirectory: place.store)
        #expect(after - before < 256)
    }

    @Test("Importing a changed file writes only what changed")
    func change() async throws {
        let place = try Workplace()
        try await place.importing(.sampleIndex)
        let times = try place.withStore { Self.updateTimes(in: $0.context) }
        let changed = String.sampleIndex
            .replacing("Version: 5\n", with: "Version: 6\n")
            .replacing("Recommends: manual\n", with: "")
        try await place.importing(changed)
        try place.withStore { store in
            #expect(store.lastTransaction.rawValue == 2)
            let context = store.context
            let later = Self.updateTimes(in: context)
            let touched = later.filter { times[$0.key] != $0.value }
            #expect(touched.keys.sorted() == ["postman"], "links are no part of a row")
            #expect(Package.query("postman").resolve(in: context)?.version == "6")
            #expect(Package.query("editor").related(\.$recommends).count(in: context) == 0)
            #expect(Package.query("manual").related(\.$recommenders).count(in: context) == 0)
        }
    }

    private static func updateTimes(in context: Context) -> [String: Date] {
        let packages: [Package] = context.all()
        return Dictionary(
            uniqueKeysWithValues: packages.map {
                ($0.id, $0.updatedAt(in: context) ?? .distantPast)
            })
    }

    @Test("Of several archives the newest version wins, in whatever order they come")
    func newest() async throws {
        let stanza = { (version: String) in
            "Package: p\nVersion: \(version)\nArchitecture: all\nDepends: from-\(version.count)\n\n"
        }
        for order in [["1.0~rc1", "1.0", "0"], ["0", "1.0", "1.0~rc1"], ["1.0", "0"]] {
            let place = try Workplace()
            let paths = try order.enumerated().map { position, version in
                try place.write(stanza(version), to: "list\(position)")
            }
            let run = await ProgramRun(["--store", place.store, "import"] + paths)
            #expect(run.status == .success)
            try place.withStore { store in
                #expect(Package.query("p").resolve(in: store.context)?.version == "1.0")
                let depends = PackageGraph(context: store.context).packageWithNames("p")?.$depends
                #expect(depends?.ids == ["from-3"])
            }
        }
    }

    @Test("A malformed stanza is named by file and line, the rest goes on, the status is 3")
    func malformed() async throws {
        let place = try Workplace()
        let text = "Package: a\nVersion: 1\nArchitecture: all\n\nno colon\n\n" + .sampleIndex
        let path = try place.write(text)
        let run = await place.run("import", path, "--architecture=amd64")
        #expect(run.status == .stanzasSkipped)
        #expect(run.errors.hasPrefix("\(path):5: "))
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(run.output.contains("1 malformed stanza skipped"))
        let report = try await place.run(json: "import", path, "--architecture=amd64")
        #expect(report["skipped"] as? Int == 1)
        #expect(report["packages"] as? Int == 6)
    }

    @Test("What a removed package left behind is no package, and no fault either")
    func leftovers() async throws {
        let place = try Workplace()
        let run = try await place.importing(
            """
            Package: here
            Status: install ok installed
            Version: 1
            Architecture: all

            Package: away
            Status: deinstall ok config-files
            Version: 1
            Architecture: all

            """)
        #expect(run.status == .success)
        try place.withStore { #expect($0.context.ids(Package.self) == ["here"]) }
    }

    @Test("Packages of a foreign architecture have it in their id, and mean each other")
    func foreign() async throws {
        let place = try Workplace()
        try await place.importing(
            """
            Package: tool
            Version: 1
            Architecture: i386
            Depends: lib, data, helper:any, other:arm64

            Package: lib
            Version: 1
            Architecture: i386

            Package: lib
            Version: 2
            Architecture: amd64

            Package: data
            Version: 1
            Architecture: all

            """)
        try place.withStore { store in
            #expect(store.context.ids(Package.self) == ["tool:i386", "lib:i386", "lib", "data"])
            let tool = PackageGraph(context: store.context).packageWithNames("tool:i386")
            #expect(tool?.$depends.ids == ["lib:i386", "data", "helper", "other:arm64"])
            #expect(tool?.name == "tool")
        }
    }

    @Test("Sections, maintainers, sources and virtual packages are entities of their own")
    func shared() async throws {
        let place = try Workplace()
        try await place.importing(.sampleIndex)
        try place.withStore { store in
            let context = store.context
            let ann = try #require(Maintainer.query("ann@example.org").resolve(in: context))
            #expect(ann.description == "Ann Example <ann@example.org>")
            #expect(Maintainer.query("Bo").resolve(in: context)?.description == "Bo")
            #expect(
                ann.query().related(\.$packages).resolve(in: context).map(\.id)
                    == ["editor", "libtext"])
            #expect(
                Section.query("libs").related(\.$packages).resolve(in: context).map(\.id)
                    == ["libtext", "libbase"])
            #expect(
                Source.query("text").related(\.$packages).resolve(in: context).map(\.id)
                    == ["libtext"])
            #expect(context.ids(VirtualPackage.self) == ["mail-agent", "smtp"])
        }
    }

    @Test("What the ids cannot say stands in the expressions, and nothing else does")
    func expressions() async throws {
        let place = try Workplace()
        try await place.importing(.sampleIndex)
        try place.withStore { store in
            let editor = Package.query("editor").resolve(in: store.context)
            #expect(
                editor?.expressions
                    == RelationExpressions(
                        depends: "libtext (>= 1.0) | libtext-old, mail-agent, gone"))
            #expect(
                Package.query("postman").resolve(in: store.context)?.expressions
                    == RelationExpressions(provides: "mail-agent, smtp (= 25)"))
            #expect(Package.query("libtext").resolve(in: store.context)?.expressions == nil)
        }
    }

    @Test("The native architecture can be told")
    func architecture() async throws {
        let place = try Workplace()
        let path = try place.write("Package: p\nVersion: 1\nArchitecture: amd64\n")
        #expect(await place.run("import", path, "--architecture", "arm64").status == .success)
        try place.withStore { #expect($0.context.ids(Package.self) == ["p:amd64"]) }
    }
}
