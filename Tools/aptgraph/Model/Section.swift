import Varve

/// What a group of packages is for, as the archive sorts them: `net`, `non-free/games`.
@EntityModel
struct Section {
    /// The area, where it is not `main`, a slash, and the section's name.
    let id: String

    @Relationship(inverse: \.section) var packages: [Package]?
}
