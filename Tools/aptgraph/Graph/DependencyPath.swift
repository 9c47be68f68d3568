import Varve

/// A shortest way from one package to another along what packages need.
struct DependencyPath: Equatable, Sendable {
    enum Link: String, Encodable, Sendable {
        case preDepends = "pre-depends"
        case depends
        /// From a virtual package to one that provides it.
        case providedBy = "provided-by"
    }

    struct Step: Equatable, Sendable {
        var link: Link
        var name: String
        /// The requirement as the index words it; nil where it is nothing but the name.
        var requirement: String?
    }

    var start: String
    var steps: [Step]
}

extension PackageGraph {
    /// Searches breadth first, so the path is one of the shortest; among these, the one that
    /// packages name first.
    func path(from start: String, to end: String) -> DependencyPath? {
        var search = BreadthFirstSearch(graph: self, start: start)
        while !search.hasReached(end) {
            guard search.advance() else { return nil }
        }
        return search.path(to: end)
    }
}

/// A search that goes on level by level. Each level is two queries, however many names it has.
private struct BreadthFirstSearch {
    private struct Origin {
        var name: String
        var link: DependencyPath.Link
    }

    private let graph: PackageGraph
    private let start: String
    private var origins: [String: Origin] = [:]
    private var level: [String]

    init(graph: PackageGraph, start: String) {
        self.graph = graph
        self.start = start
        level = [start]
    }

    func hasReached(_ name: String) -> Bool { name == start || origins[name] != nil }

    /// False when nothing new can be reached.
    mutating func advance() -> Bool {
        let packages = Package.query(level).id(\.$preDepends).id(\.$depends)
            .resolve(in: graph.context)
        let found = Set(packages.map(\.id))
        let virtual = VirtualPackage.query(level.filter { !found.contains($0) }).id(\.$providers)
            .resolve(in: graph.context)
        level = []
        for package in packages {
            reach(package.$preDepends.loadedIDs, from: package.id, .preDepends)
            reach(package.$depends.loadedIDs, from: package.id, .depends)
        }
        for name in virtual { reach(name.$providers.loadedIDs, from: name.id, .providedBy) }
        return !level.isEmpty
    }

    private mutating func reach(
        _ names: [String], from origin: String, _ link: DependencyPath.Link
    ) {
        for name in names where !hasReached(name) {
            origins[name] = Origin(name: origin, link: link)
            level.append(name)
        }
    }

    func path(to end: String) -> DependencyPath {
        var steps: [DependencyPath.Step] = []
        var name = end
        while name != start, let origin = origins[name] {
            steps.append(
                DependencyPath.Step(
                    link: origin.link, name: name,
                    requirement: requirement(of: origin, naming: name)))
            name = origin.name
        }
        return DependencyPath(start: start, steps: steps.reversed())
    }

    private func requirement(of origin: Origin, naming name: String) -> String? {
        let expressions = Package.query(origin.name).resolve(in: graph.context)?.expressions
        let text: String? =
            switch origin.link {
            case .preDepends: expressions?.preDepends
            case .depends: expressions?.depends
            case .providedBy: nil
            }
        guard let text, let found = RelationText.requirement(naming: name, in: text),
            found != name
        else { return nil }
        return String(found)
    }
}
