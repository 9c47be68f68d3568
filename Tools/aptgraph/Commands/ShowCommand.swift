import Varve

/// `show NAME`
struct ShowCommand: StoreCommand {
    static let mode = Store.Mode.readOnly

    let name: String

    func run(_ store: Store) throws -> ShownPackage {
        let graph = PackageGraph(context: store.context)
        switch graph.meaning(of: name) {
        case .package:
            guard let package = graph.packageWithNames(name) else { throw Failure.unknown(name) }
            return ShownPackage(
                package: package, name: name, providers: graph.providers(of: name),
                reverse: graph.reverseDependencies(of: name))
        case .virtual(let providers):
            return ShownPackage(
                package: nil, name: name, providers: providers,
                reverse: graph.reverseDependencies(of: name))
        case .removed: throw Failure.removed(name)
        case .nothing: throw Failure.unknown(name)
        }
    }
}

/// A package, or a virtual one, with its relations on both sides.
struct ShownPackage: CommandResult {
    /// Nil for a virtual package.
    let package: Package?
    let name: String
    let providers: [Package]
    let reverse: ReverseDependencies

    // MARK: JSON

    struct JSON: Encodable {
        struct Maintainer: Encodable {
            var name: String
            var address: String
        }

        var name: String
        var isVirtual = false
        var version: String?
        var architecture: String?
        var section: String?
        var priority: String?
        var maintainer: Maintainer?
        var source: String?
        var sourceVersion: String?
        var summary: String?
        var homepage: String?
        var installedKibibytes: Int64?
        var downloadBytes: Int64?
        /// In hexadecimal digits.
        var sha256: String?
        /// Names by relation.
        var relations: [String: [String]] = [:]
        /// Relations as the index words them, where that says more than the names.
        var expressions: [String: String] = [:]
    }

    var json: JSON {
        var json = JSON(name: name)
        json.relations["providers"] = providers.map(\.id)
        for kind in ReverseDependencies.Kind.allCases {
            json.relations[Self.reverseName(kind)] = reverse[kind].map(\.id)
        }
        guard let package else {
            json.isVirtual = true
            return json
        }
        json.version = package.version
        json.architecture = package.architecture
        json.section = package.$section.id
        json.priority = package.priority
        json.maintainer = package.maintainer.map { .init(name: $0.name, address: $0.id) }
        json.source = package.$source.id
        json.sourceVersion = package.sourceVersion
        json.summary = package.summary
        json.homepage = package.homepage
        json.installedKibibytes = package.installedKibibytes
        json.downloadBytes = package.downloadBytes
        json.sha256 = package.sha256?.hexadecimal
        for relation in package.namedRelations {
            json.relations[relation.key] = relation.names
            json.expressions[relation.key] = relation.expression
        }
        return json
    }

    private static func reverseName(_ kind: ReverseDependencies.Kind) -> String {
        switch kind {
        case .preDepends: "preDependents"
        case .depends: "dependents"
        case .recommends: "recommenders"
        case .suggests: "suggesters"
        case .enhances: "enhancers"
        }
    }

    // MARK: Text

    func lay(out layout: inout TextLayout) {
        if let package {
            lay(package, out: &layout)
        } else {
            layout.line(layout.style.bold(name.printable) + " (virtual package)")
            layout.line()
        }
        layout.field("Provided by", RelationText.joined(providers.map(\.id)))
        let needing = reverse[.preDepends] + reverse[.depends]
        layout.field("Needed by", Self.some(needing, of: needing.count))
        let wishing = reverse[.recommends] + reverse[.suggests]
        layout.field("Wished for by", Self.some(wishing, of: wishing.count))
    }

    private func lay(_ package: Package, out layout: inout TextLayout) {
        let style = layout.style
        let title = "\(package.version) (\(package.architecture))".printable
        layout.line(style.bold(package.id.printable) + " " + title)
        for line in TextLayout.wrapped(
            (package.summary ?? "").printable, width: layout.screen.width)
        {
            layout.line(line)
        }
        layout.line()
        layout.field("Section", package.$section.id)
        layout.field("Priority", package.priority)
        layout.field("Maintainer", package.maintainer.map(String.init(describing:)))
        layout.field("Source", package.sourceText)
        layout.field(
            "Installed", package.installedKibibytes.map { "\(Quantity.grouped($0)) KiB" })
        layout.field("Download", package.downloadBytes.map(Quantity.bytes))
        layout.field("Homepage", package.homepage)
        layout.field("SHA-256", package.sha256?.hexadecimal)
        for relation in package.namedRelations {
            layout.field(
                relation.title, relation.expression ?? RelationText.joined(relation.names))
        }
    }

    /// The first names of a list that may have thousands.
    private static func some(_ packages: [Package], of count: Int) -> String? {
        let shown = 8
        guard count > 0 else { return nil }
        let names = RelationText.joined(packages.prefix(shown).map(\.id))
        let amount = Quantity.count(count, "package")
        return count > shown ? "\(amount), such as \(names)" : "\(amount): \(names)"
    }
}

extension Package {
    /// One relation as the index has it.
    struct NamedRelation {
        var key: String
        var title: String
        var names: [String]
        var expression: String?
    }

    /// The relations that the index states, which must have been loaded as ids.
    var namedRelations: [NamedRelation] {
        [
            NamedRelation(
                key: "preDepends", title: "Pre-Depends", names: $preDepends.loadedIDs,
                expression: expressions?.preDepends),
            NamedRelation(
                key: "depends", title: "Depends", names: $depends.loadedIDs,
                expression: expressions?.depends),
            NamedRelation(
                key: "recommends", title: "Recommends", names: $recommends.loadedIDs,
                expression: expressions?.recommends),
            NamedRelation(
                key: "suggests", title: "Suggests", names: $suggests.loadedIDs,
                expression: expressions?.suggests),
            NamedRelation(
                key: "enhances", title: "Enhances", names: $enhances.loadedIDs,
                expression: expressions?.enhances),
            NamedRelation(
                key: "provides", title: "Provides", names: $provides.loadedIDs,
                expression: expressions?.provides),
            NamedRelation(
                key: "breaks", title: "Breaks", names: $breaks.loadedIDs,
                expression: expressions?.breaks),
            NamedRelation(
                key: "conflicts", title: "Conflicts", names: $conflicts.loadedIDs,
                expression: expressions?.conflicts),
            NamedRelation(
                key: "replaces", title: "Replaces", names: $replaces.loadedIDs,
                expression: expressions?.replaces),
        ]
    }

    var sourceText: String? {
        guard let source = $source.id else { return nil }
        return sourceVersion.map { "\(source) (\($0))" } ?? source
    }
}
