import Varve

/// Questions about the packages of one snapshot.
struct PackageGraph {
    let context: Context

    /// What a name stands for.
    enum Meaning {
        case package(Package)
        /// Only a name that these packages answer to.
        case virtual(providers: [Package])
        /// A package that was removed and can be restored.
        case removed(Package)
        case nothing
    }

    func meaning(of name: String) -> Meaning {
        if let package = Package.query(name).resolve(in: context) { return .package(package) }
        let providers = providers(of: name)
        if !providers.isEmpty { return .virtual(providers: providers) }
        if let removed = Deleted<Package>.query(name).resolve(in: context) {
            return .removed(removed.entity)
        }
        return .nothing
    }

    func providers(of name: String) -> [Package] {
        VirtualPackage.query(name).related(\.$providers).resolve(in: context)
    }

    /// The package with the ids of all that it names.
    func packageWithNames(_ id: String) -> Package? {
        Package.query([id])
            .id(\.$section).id(\.$source)
            .id(\.$preDepends).id(\.$depends).id(\.$recommends).id(\.$suggests).id(\.$enhances)
            .id(\.$breaks).id(\.$conflicts).id(\.$replaces).id(\.$provides)
            .with(\.$maintainer)
            .resolve(in: context).first
    }
}
