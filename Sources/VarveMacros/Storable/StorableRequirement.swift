/// What the macro generates, each unless the type declares it itself.
enum StorableRequirement: String, CaseIterable {
    case storedType = "static storedType"
    case store = "store(into:)"
    case load = "static load(from:)"
    /// Of structs only: an initializer can assign every property, whatever its access.
    case decode = "init(_from:)"
    case sameBytes = "static sameBytes(_:_:)"
}
