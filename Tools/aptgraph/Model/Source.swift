import Varve

/// A source package: all that is built from it changes together.
@EntityModel
struct Source {
    let id: String

    @Relationship(inverse: \.source) var packages: [Package]?
}
