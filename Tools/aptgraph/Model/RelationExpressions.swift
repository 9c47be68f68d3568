import Varve

/// What the index says of a package's relations beyond the names: `libc6 (>= 2.34), awk | mawk`.
@Storable
struct RelationExpressions: Hashable {
    var preDepends: String?
    var depends: String?
    var recommends: String?
    var suggests: String?
    var enhances: String?
    var provides: String?
    var breaks: String?
    var conflicts: String?
    var replaces: String?
}
