import AptGraphInput
import Foundation
import Varve

/// Makes the entity of one stanza.
struct PackageBuilder {
    private let stanza: PackageStanza
    private let index: PackageIndex
    private var preDepends = NamedPackages()
    private var depends = NamedPackages()
    private var recommends = NamedPackages()
    private var suggests = NamedPackages()
    private var enhances = NamedPackages()
    private var breaks = NamedPackages()
    private var conflicts = NamedPackages()
    private var replaces = NamedPackages()

    init(_ stanza: PackageStanza, in index: PackageIndex) {
        self.stanza = stanza
        self.index = index
        for group in stanza.dependencies { add(group) }
    }

    private mutating func add(_ group: DependencyGroup) {
        switch group.kind {
        case .preDepends: preDepends.append(group, of: stanza, in: index)
        case .depends: depends.append(group, of: stanza, in: index)
        case .recommends: recommends.append(group, of: stanza, in: index)
        case .suggests: suggests.append(group, of: stanza, in: index)
        case .enhances: enhances.append(group, of: stanza, in: index)
        case .breaks: breaks.append(group, of: stanza, in: index)
        case .conflicts: conflicts.append(group, of: stanza, in: index)
        case .replaces: replaces.append(group, of: stanza, in: index)
        }
    }

    var sourceID: String { stanza.source?.name ?? stanza.name }

    var providedIDs: [String] { stanza.provides.map(\.name) }

    var maintainer: Maintainer? {
        stanza.maintainer.map { Maintainer(id: $0.email ?? $0.name, name: $0.name) }
    }

    /// How many links to packages that are needed or wished for, each alternative counted.
    var dependencyCount: Int {
        preDepends.ids.count + depends.ids.count + recommends.ids.count + suggests.ids.count
            + enhances.ids.count
    }

    /// Every relation is set, so that what an older stanza said and this one does not is unlinked.
    func package() -> Package {
        var package = Package(
            id: index.naming.id(of: stanza.name, architecture: stanza.architecture),
            version: stanza.version,
            architecture: stanza.architecture,
            priority: stanza.priority,
            summary: stanza.summary,
            homepage: stanza.homepage,
            installedKibibytes: stanza.installedKibibytes,
            downloadBytes: stanza.downloadBytes,
            sha256: stanza.sha256.flatMap(Data.init(hexadecimal:)),
            sourceVersion: stanza.source?.version,
            expressions: expressions,
            section: stanza.section.map { .id($0) } ?? .null,
            maintainer: maintainer.map { .id($0.id) } ?? .null,
            source: .id(sourceID),
            preDepends: .ids(preDepends.ids),
            depends: .ids(depends.ids),
            recommends: .ids(recommends.ids),
            suggests: .ids(suggests.ids),
            enhances: .ids(enhances.ids),
            provides: .ids(providedIDs))
        package.$breaks = .ids(breaks.ids)
        package.$conflicts = .ids(conflicts.ids)
        package.$replaces = .ids(replaces.ids)
        return package
    }

    private var expressions: RelationExpressions? {
        let expressions = RelationExpressions(
            preDepends: preDepends.expression, depends: depends.expression,
            recommends: recommends.expression, suggests: suggests.expression,
            enhances: enhances.expression, provides: providesExpression,
            breaks: breaks.expression, conflicts: conflicts.expression,
            replaces: replaces.expression)
        return expressions == RelationExpressions() ? nil : expressions
    }

    private var providesExpression: String? {
        guard stanza.provides.contains(where: { $0.version != nil }) else { return nil }
        return RelationText.joined(
            stanza.provides.map { provision in
                provision.version.map { "\(provision.name) (= \($0))" } ?? provision.name
            })
    }
}

/// The packages that one relation names.
private struct NamedPackages {
    private(set) var ids: [String] = []
    private var text = ""

    mutating func append(
        _ group: DependencyGroup, of stanza: PackageStanza, in index: PackageIndex
    ) {
        for dependency in group.alternatives {
            let id = index.id(
                of: dependency.name, qualifier: dependency.architectureQualifier,
                namedBy: stanza.architecture)
            ids.append(id)
        }
        if !text.isEmpty { text += ", " }
        RelationText.append(group, to: &text)
    }

    /// What the stanza says, where the ids alone do not say it.
    var expression: String? { text == RelationText.joined(ids) ? nil : text }
}
