/// One requirement of a package: any of its alternatives satisfies it.
package struct DependencyGroup: Hashable, Sendable {
    package var kind: DependencyKind
    /// Never empty; the first is the one that the packager prefers.
    package var alternatives: [Dependency]

    package init(kind: DependencyKind, alternatives: [Dependency]) {
        self.kind = kind
        self.alternatives = alternatives
    }
}

/// The relations between packages that carry groups. `Provides` is not among them: see
/// ``Provision``.
package enum DependencyKind: String, CaseIterable, Hashable, Sendable {
    case preDepends = "Pre-Depends"
    case depends = "Depends"
    case recommends = "Recommends"
    case suggests = "Suggests"
    case enhances = "Enhances"
    case breaks = "Breaks"
    case conflicts = "Conflicts"
    case replaces = "Replaces"
}

/// A package by name, and which of its versions and architectures are meant.
package struct Dependency: Hashable, Sendable {
    package var name: String
    /// What follows a colon after the name, such as `any` or `amd64`.
    package var architectureQualifier: String?
    package var constraint: VersionConstraint?
    /// Architectures that the dependency is limited to (`[amd64 !i386]`), as written; empty for
    /// all.
    package var architectures: [String]

    package init(
        name: String, architectureQualifier: String? = nil, constraint: VersionConstraint? = nil,
        architectures: [String] = []
    ) {
        self.name = name
        self.architectureQualifier = architectureQualifier
        self.constraint = constraint
        self.architectures = architectures
    }
}

/// A relation to a version, such as `>= 1.2`.
package struct VersionConstraint: Hashable, Sendable {
    package var relation: VersionRelation
    package var version: String

    package init(_ relation: VersionRelation, _ version: String) {
        self.relation = relation
        self.version = version
    }
}

package enum VersionRelation: String, CaseIterable, Hashable, Sendable {
    case earlier = "<<"
    case earlierOrEqual = "<="
    case equal = "="
    case laterOrEqual = ">="
    case later = ">>"
}

/// A name that a package answers to, with a version when it says which.
package struct Provision: Hashable, Sendable {
    package var name: String
    package var version: String?

    package init(name: String, version: String? = nil) {
        self.name = name
        self.version = version
    }
}
