import Varve

/// A name that packages answer to besides their own, such as `mail-transport-agent`.
@EntityModel
struct VirtualPackage {
    let id: String

    @Relationship(inverse: \.provides) var providers: [Package]?
}
