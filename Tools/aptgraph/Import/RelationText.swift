import AptGraphInput

/// Relations as Debian writes them: `libc6 (>= 2.34), awk:any | mawk [amd64]`.
enum RelationText {
    static func joined(_ items: [String]) -> String { items.joined(separator: ", ") }

    static func append(_ group: DependencyGroup, to text: inout String) {
        var isFirst = true
        for dependency in group.alternatives {
            if !isFirst { text += " | " }
            append(dependency, to: &text)
            isFirst = false
        }
    }

    private static func append(_ dependency: Dependency, to text: inout String) {
        text += dependency.name
        if let qualifier = dependency.architectureQualifier {
            text += ":"
            text += qualifier
        }
        if let constraint = dependency.constraint {
            text += " ("
            text += constraint.relation.rawValue
            text += " "
            text += constraint.version
            text += ")"
        }
        if !dependency.architectures.isEmpty {
            text += " ["
            text += dependency.architectures.joined(separator: " ")
            text += "]"
        }
    }

    /// The requirement that names a package, with its alternatives: `awk | mawk (>= 1)`.
    static func requirement(naming name: String, in text: String) -> Substring? {
        text.split(separator: ", ").first { group in
            group.split(separator: " | ").contains { alternative in
                let word = alternative.prefix { $0 != " " }
                return word == name
                    || word.hasPrefix(name) && word.dropFirst(name.count).first == ":"
            }
        }
    }
}
