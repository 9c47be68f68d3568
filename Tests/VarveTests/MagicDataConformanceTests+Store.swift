import Foundation
import Testing
import VarveTestSupport

@testable import Varve

@EntityModel("Model")
private struct FormerModel: Equatable {
    let id: Int
    var name: String
    var obsolete = "x"
}

@EntityModel("Model")
private struct Model: Equatable {
    let id: Int
    var name: String
    var note: String? = nil
    var stars: Int
}

/// Places, versions and migrations of stores, and their errors.
extension MagicDataConformanceTests {
    private func open(
        _ disk: SimulatedDisk, _ migrations: [Migration] = [],
        _ types: [any EntityModelProtocol.Type]
    ) throws -> Store {
        try Store(
            in: disk, mode: .readWrite, durability: .commit, migrations: migrations, types: types)
    }

    private func formerDisk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk, [], [FormerModel.self])
        try store.write { context in
            for id in 1...3 { try FormerModel(id: id, name: "n\(id)").save(to: &context) }
        }
        try store.close()
        return disk
    }

    @Test(
        "MD-36: a store is at the platform's place for it, by name, or in a directory of one's own")
    func places() throws {
        let url = Store.defaultLocation(named: "Notes", of: "org.example.app")
        #expect(url.path.hasSuffix("org.example.app/Notes.varve"))
        let directory = try TemporaryDirectory()
        let own = directory.url.appendingPathComponent("Library/Notes.varve")
        let store = try Store(at: own, createsParents: true, Model.self)
        try store.write { try Model(id: 1, name: "a", stars: 0).save(to: &$0) }
        try store.close()
        #expect(try Store(at: own, Model.self).context.count(Model.self) == 1)
    }

    @Test(
        "MD-37: temporary stores have folders of their own, removed with them; others have no file")
    func temporaryStores() throws {
        var paths: [String] = []
        do {
            let (first, second) = (try Store.temporary(Model.self), try Store.temporary(Model.self))
            try first.write { try Model(id: 1, name: "a", stars: 0).save(to: &$0) }
            #expect(second.context.count(Model.self) == 0)
            paths = [first, second].map(\.opener.fileSystem.displayPath)
            #expect(paths[0] != paths[1])
            #expect(paths.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        }
        #expect(!paths.contains { FileManager.default.fileExists(atPath: $0) })
        let inMemory = try Store.inMemory(Model.self)
        #expect(!FileManager.default.fileExists(atPath: inMemory.opener.fileSystem.displayPath))
    }

    @Test(
        "MD-39, MD-40: the log knows each type's structure; what does not fit is named, and is no trap"
    )
    func structure() throws {
        let disk = try formerDisk()
        let plan = try Store.plan(in: disk, migrations: [], types: [Model.self])
        #expect(plan.refusal.map { "\($0)".contains("Model.stars") } == true, "\(plan)")
        let error = #expect(throws: StoreError.self) { try open(disk, [], [Model.self]) }
        guard case .schema(let problems)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.count == 1 && "\(problems[0])".contains("Model.stars"))
        #expect(try open(disk, [], [FormerModel.self]).context.count(FormerModel.self) == 3)
    }

    @Test(
        "MD-41: an optional property is added without a step; others are filled, and removed, by steps"
    )
    func migrations() throws {
        let disk = try formerDisk()
        let steps = Migration(
            "stars", .fill("stars", of: "Model", with: 5), .remove("obsolete", of: "Model"))
        for _ in 0..<2 {
            // The second opening has it behind it.
            let store = try open(disk, [steps], [Model.self])
            let found = Model.query().resolve(in: store.context)
            #expect(found == (1...3).map { Model(id: $0, name: "n\($0)", stars: 5) })
            try store.close()
        }
    }

    @Test("MD-42: errors are typed, and say what to do next")
    func errors() throws {
        let store = try Store.inMemory(Model.self)
        #expect(throws: ContextError.noSuchEntity(type: "Model", id: "7")) {
            try Model.require(7, in: store.context)
        }
        try store.close()
        let error = #expect(throws: StoreError.self) {
            try store.write { try Model(id: 1, name: "a", stars: 0).save(to: &$0) }
        }
        guard case .closed? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.recoverySuggestion?.isEmpty == false)
    }
}
