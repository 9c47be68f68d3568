/// What the macro generates, each unless the type declares it itself.
enum StorableRequirement: String, CaseIterable {
    case storedType = "static storedType"
    case store = "store(into:)"
    case load = "static load(from:)"
    /// Of structs only: an initializer can assign every property, whatever its access.
    case decode = "init(_from:)"
    /// Of structs with default values only.
    case fill = "init(_fill:into:)"
    case sameBytes = "static sameBytes(_:_:)"
}
