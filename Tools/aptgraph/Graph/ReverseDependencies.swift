import Varve

/// Who names a package, by what for.
struct ReverseDependencies {
    enum Kind: String, CaseIterable, Sendable {
        case preDepends = "pre-depends"
        case depends, recommends, suggests, enhances
    }

    private(set) var packages: [Kind: [Package]] = [:]

    subscript(_ kind: Kind) -> [Package] { packages[kind] ?? [] }

    var isEmpty: Bool { packages.values.allSatisfy(\.isEmpty) }
}

extension PackageGraph {
    /// Reads the links that lead back, or looks through all packages where the name is no
    /// package: links are found from both sides only where an entity is.
    func reverseDependencies(of name: String) -> ReverseDependencies {
        let query = Package.query(name)
        guard query.exists(in: context) else { return scannedReverseDependencies(of: name) }
        return ReverseDependencies(packages: [
            .preDepends: query.related(\.$preDependents).resolve(in: context),
            .depends: query.related(\.$dependents).resolve(in: context),
            .recommends: query.related(\.$recommenders).resolve(in: context),
            .suggests: query.related(\.$suggesters).resolve(in: context),
            .enhances: query.related(\.$enhancers).resolve(in: context),
        ])
    }

    private func scannedReverseDependencies(of name: String) -> ReverseDependencies {
        var packages: [ReverseDependencies.Kind: [Package]] = [:]
        let all = Package.query()
            .id(\.$preDepends).id(\.$depends).id(\.$recommends).id(\.$suggests).id(\.$enhances)
        for package in all.resolve(in: context) {
            for kind in ReverseDependencies.Kind.allCases
            where package.names(kind).contains(name) {
                packages[kind, default: []].append(package)
            }
        }
        return ReverseDependencies(packages: packages)
    }
}

extension Package {
    /// The ids that a relation was loaded with.
    func names(_ kind: ReverseDependencies.Kind) -> [String] {
        switch kind {
        case .preDepends: $preDepends.loadedIDs
        case .depends: $depends.loadedIDs
        case .recommends: $recommends.loadedIDs
        case .suggests: $suggests.loadedIDs
        case .enhances: $enhances.loadedIDs
        }
    }
}
