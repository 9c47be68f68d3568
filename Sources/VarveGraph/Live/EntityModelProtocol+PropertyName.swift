extension EntityModelProtocol {
    /// The name of the stored property that a path leads to.
    package static func propertyName(of path: PartialKeyPath<Self>) -> String {
        SendablePath(path).propertyName
    }
}
