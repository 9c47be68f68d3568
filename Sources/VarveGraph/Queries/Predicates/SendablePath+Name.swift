extension SendablePath {
    /// The property's name, as far as the runtime knows it: of a computed one it knows the type
    /// at most.
    var propertyName: String {
        let words = String(describing: raw)
        guard let dot = words.firstIndex(of: ".") else { return words }
        let name = words[words.index(after: dot)...]
        guard let computed = name.firstRange(of: "<computed") else { return String(name) }
        let type = name[computed.lowerBound...]
        let last =
            type.contains("NilFirst<")
            ? "nilFirst" : type.contains("Descending<") ? "desc" : "(computed)"
        return name[..<computed.lowerBound] + last
    }
}
