import Foundation
import Varve

@EntityModel
struct DebianPackage {
    /// The name.
    let id: String
    var version: String
    var section: String
    var summary: String

    @Relationship(inverse: \.dependents) var depends: [DebianPackage]?
    @Relationship(inverse: \.depends) var dependents: [DebianPackage]?

    @FullTextIndex<Self>(\.summary) private var summaryIndex
}

struct VarveDebian: DebianStore {
    private let store: Store

    init(at directory: URL) throws {
        store = try Store(
            at: directory.appending(path: "debian.varve"), durability: .none, DebianPackage.self)
    }

    func add(_ packages: ArraySlice<DebianIndex.Package>) throws {
        try store.write { context in
            for package in packages {
                try DebianPackage(
                    id: package.name, version: package.version, section: package.section,
                    summary: package.summary, depends: .ids(package.depends)
                ).save(to: &context)
            }
        }
    }

    func sync() throws { try store.flush() }

    func version(of package: String) throws -> String? {
        let found: DebianPackage? = store.context.find(package)
        return found?.version
    }

    func countDependents(of package: String) throws -> Int {
        DebianPackage.query(package).reachable(along: \.$dependents).count(in: store.context)
    }

    func count(containing text: String) throws -> Int {
        DebianPackage.filter(.string(\.summary, contains: text)).count(in: store.context)
    }

    func close() throws { try store.close() }
}
