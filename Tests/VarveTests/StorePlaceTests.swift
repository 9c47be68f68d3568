import Foundation
import Testing
import VarveTestSupport

@testable import Varve

@Suite("Places of stores")
struct StorePlaceTests {
    @Test("The data of apps is where XDG_DATA_HOME says, and in the home directory otherwise")
    func dataDirectory() {
        let home = URL(fileURLWithPath: "/home/ann", isDirectory: true)
        func path(_ value: String?) -> String {
            DataDirectory.linux(value.map { ["XDG_DATA_HOME": $0] } ?? [:], home: home).path
        }
        #expect(path("/data") == "/data")
        #expect(path(nil) == "/home/ann/.local/share")
        #expect(path("") == "/home/ann/.local/share")
        #expect(path("relative") == "/home/ann/.local/share", "relative paths are ignored")
    }

    @Test("A place by name is in a directory of the app")
    func location() {
        let url = Store.defaultLocation(named: "Notes", of: "org.example.notes")
        #expect(url.path == DataDirectory.url.path + "/org.example.notes/Notes.varve")
        let ofProgram = Store.defaultLocation(named: "Notes")
        #expect(ofProgram.deletingLastPathComponent().lastPathComponent != "")
    }

    @Test("A name that would lead elsewhere stops the program", arguments: ["", "..", "a/b"])
    func names(name: String) async {
        await #expect(processExitsWith: .failure) { [name] in
            _ = Store.defaultLocation(named: name, of: "app")
        }
    }

    @Test("Missing parents are made where that is wanted, and are an error otherwise")
    func parents() throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appendingPathComponent("a/b/Notes.varve", isDirectory: true)
        #expect(throws: StoreError.self) { try Store(at: url, Author.self) }
        #expect(throws: StoreError.self) {
            try Store(at: url, createsParents: true, mode: .readOnly, Author.self)
        }
        #expect(!FileManager.default.fileExists(atPath: url.deletingLastPathComponent().path))
        let store = try Store(at: url, createsParents: true, Author.self)
        try store.write { try Author(id: "a", name: "Ann").save(to: &$0) }
        try store.close()
        let again = try Store(at: url, createsParents: true, Author.self)
        #expect(again.lastTransaction == 1)
    }

    @Test("A parent that is a file is an error that names it")
    func fileInTheWay() throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appendingPathComponent("a")
        try Data().write(to: file)
        let error = #expect(throws: StoreError.self) {
            try Store(
                at: file.appendingPathComponent("b/Notes.varve"), createsParents: true,
                Author.self)
        }
        #expect(error.map { "\($0)".contains("/a/b") } == true)
    }

    // `loading` is handed over, too, and changes nothing: a new store has no content that could be read later.
    @Test(
        "Stores in memory and temporary ones follow the options of others, with types one by one or in an array",
        arguments: 0..<4 as Range<Int>)
    func options(form: Int) throws {
        let steps = Lock(0)
        let entries = Lock(0)
        let note: @Sendable (OpeningProgress) -> Void = { _ in steps.withLock { $0 += 1 } }
        let log = StoreLog { _ in entries.withLock { $0 += 1 } }
        let migrations = [Migration("none", .fill("name", of: "Author", with: ""))]
        let migrating = MigrationOptions(backup: .none)
        let store =
            switch form {
            case 0:
                try Store.inMemory(
                    durability: .commit, retention: .newestState, compactsAutomatically: false,
                    loading: .whenRead, migrations: migrations, migrating: migrating,
                    log: log, progress: note, Author.self)
            case 1:
                try Store.inMemory(
                    durability: .commit, retention: .newestState, compactsAutomatically: false,
                    loading: .whenRead, migrations: migrations, migrating: migrating,
                    log: log, progress: note, types: [Author.self])
            case 2:
                try Store.temporary(
                    durability: .none, retention: .newestState, compactsAutomatically: false,
                    loading: .whenRead, migrations: migrations, migrating: migrating,
                    log: log, progress: note, Author.self)
            default:
                try Store.temporary(
                    durability: .none, retention: .newestState, compactsAutomatically: false,
                    loading: .whenRead, migrations: migrations, migrating: migrating,
                    log: log, progress: note, types: [Author.self])
            }
        #expect(steps.withLock { $0 } > 0 && entries.withLock { $0 } > 0)
        #expect(store.opener.migrations.map(\.name) == ["none"])
        #expect(store.opener.migrating.backup == .none)
        #expect(store.compactor?.startsByItself == false)
        for name in ["a", "b", "c"] {
            try store.write { try Author(id: name, name: name).save(to: &$0) }
        }
        let newest = store.lastTransaction
        // The durability of each form is not its default.
        let isSynced = store.durableTransaction == newest
        #expect(isSynced == (form < 2), "form \(form)")
        try store.compact()
        #expect(store.floor >= newest, "only the newest state is kept")
    }

    @Test(
        "A temporary store's directory goes with the last reference, whether or not it was closed")
    func temporary() throws {
        for isClosed in [false, true] {
            weak var gone: Store?
            var path = ""
            do {
                let store = try Store.temporary(Author.self)
                gone = store
                path = store.opener.fileSystem.displayPath
                #expect(FileManager.default.fileExists(atPath: path))
                try store.write { try Author(id: "a", name: "Ann").save(to: &$0) }
                if isClosed { try store.close() }
                let snapshot = store.context
                #expect(snapshot.count(Author.self) == 1)
                #expect(FileManager.default.fileExists(atPath: path))
            }
            #expect(gone == nil)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }
}
