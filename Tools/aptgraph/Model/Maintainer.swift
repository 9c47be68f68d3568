import Varve

/// Who answers for packages: a person or a team.
@EntityModel
struct Maintainer {
    /// The address, or the name where the index has no address.
    let id: String
    var name: String

    @Relationship(inverse: \.maintainer) var packages: [Package]?
}

extension Maintainer: CustomStringConvertible {
    var description: String { name == id ? name : "\(name) <\(id)>" }
}
