import Varve

/// How much a store holds; the JSON object of `stats`.
struct GraphStatistics: Encodable, Sendable {
    struct Ranked: Encodable, Sendable {
        var name: String
        var packages: Int
    }

    var packages = 0
    var virtualPackages = 0
    var sources = 0
    var maintainers = 0
    var sections = 0
    /// Packages that were removed and can be restored.
    var removed = 0

    var preDepends = 0
    var depends = 0
    var recommends = 0
    var suggests = 0
    var enhances = 0
    var provides = 0
    /// Names that packages name and that neither a package nor a virtual package has.
    var unknownNames = 0

    var mostNeeded: [Ranked] = []
    var largestSections: [Ranked] = []

    var transactions: UInt64 = 0
    var storeBytes: Int64 = 0
}

extension GraphStatistics {
    static let rankedMax = 5

    init(_ context: Context) {
        packages = context.count(Package.self)
        virtualPackages = context.count(VirtualPackage.self)
        sources = context.count(Source.self)
        maintainers = context.count(Maintainer.self)
        sections = context.count(Section.self)
        removed = context.count(Deleted<Package>.self)
        countLinks(context)
        let sections = Section.query().id(\.$packages).resolve(in: context)
        largestSections = Self.top(sections.map { ($0.id, $0.$packages.loadedIDs.count) })
    }

    private mutating func countLinks(_ context: Context) {
        var needed: [String: Int] = [:]
        var named: Set<String> = []
        let all = Package.query().id(\.$preDepends).id(\.$depends).id(\.$recommends)
            .id(\.$suggests).id(\.$enhances).id(\.$provides)
        for package in all.resolve(in: context) {
            preDepends += package.$preDepends.loadedIDs.count
            depends += package.$depends.loadedIDs.count
            recommends += package.$recommends.loadedIDs.count
            suggests += package.$suggests.loadedIDs.count
            enhances += package.$enhances.loadedIDs.count
            provides += package.$provides.loadedIDs.count
            for id in package.$preDepends.loadedIDs { needed[id, default: 0] += 1 }
            for id in package.$depends.loadedIDs { needed[id, default: 0] += 1 }
            named.formUnion(package.$recommends.loadedIDs)
            named.formUnion(package.$suggests.loadedIDs)
            named.formUnion(package.$enhances.loadedIDs)
        }
        named.formUnion(needed.keys)
        mostNeeded = Self.top(needed.map { ($0.key, $0.value) })
        named.subtract(context.ids(Package.self))
        named.subtract(context.ids(VirtualPackage.self))
        unknownNames = named.count
    }

    private static func top(_ counts: [(name: String, packages: Int)]) -> [Ranked] {
        counts.sorted { ($1.packages, $0.name) < ($0.packages, $1.name) }.prefix(rankedMax)
            .map { Ranked(name: $0.name, packages: $0.packages) }
    }
}
