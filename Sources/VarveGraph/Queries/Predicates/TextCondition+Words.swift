extension TextCondition {
    /// The condition in words, as a plan shows it: `title, body contains "fox"`.
    var description: String {
        let names = paths.map { SendablePath($0).propertyName }.joined(separator: ", ")
        return "\(names) \(test.description)"
    }
}
