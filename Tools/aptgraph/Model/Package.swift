import Foundation
import Varve

/// One package of the index, and what it says of other packages.
///
/// A relation may name a package that no archive has: that is a link to an id without an entity.
/// All alternatives of a requirement are linked, in order; what an id cannot say, such as which
/// of them are alternatives and which versions will do, stands in ``expressions``.
@EntityModel
struct Package {
    /// The name, with `:architecture` behind it where that is foreign to the store.
    let id: String
    var version: String
    var architecture: String
    var priority: String?
    /// The first line of the description.
    var summary: String?
    var homepage: String?
    /// Space on disk once installed, as the archive estimates it.
    var installedKibibytes: Int64?
    var downloadBytes: Int64?
    /// Digest of the package file, 32 bytes.
    var sha256: Data?
    /// The source package's version, where it differs from this package's.
    var sourceVersion: String?
    /// Nil where the ids alone say all that the index said.
    var expressions: RelationExpressions?

    @Relationship(inverse: \.packages) var section: Section?
    @Relationship(inverse: \.packages) var maintainer: Maintainer?
    @Relationship(inverse: \.packages) var source: Source?

    @Relationship(inverse: \.preDependents) var preDepends: [Package]?
    @Relationship(inverse: \.preDepends) var preDependents: [Package]?
    @Relationship(inverse: \.dependents) var depends: [Package]?
    @Relationship(inverse: \.depends) var dependents: [Package]?
    @Relationship(inverse: \.recommenders) var recommends: [Package]?
    @Relationship(inverse: \.recommends) var recommenders: [Package]?
    @Relationship(inverse: \.suggesters) var suggests: [Package]?
    @Relationship(inverse: \.suggests) var suggesters: [Package]?
    @Relationship(inverse: \.enhancers) var enhances: [Package]?
    @Relationship(inverse: \.enhances) var enhancers: [Package]?
    @Relationship(inverse: \.providers) var provides: [VirtualPackage]?

    // Nobody asks these from the other side.
    @Relationship var breaks: [Package]? = nil
    @Relationship var conflicts: [Package]? = nil
    @Relationship var replaces: [Package]? = nil
}

extension Package {
    /// The name without an architecture.
    var name: String { id.split(separator: ":").first.map(String.init) ?? id }
}
