import SwiftSyntax

extension EntityDeclaration {
    /// The relation that a computed property reads, itself or through others, as far as the struct's
    /// own source tells. What it does not tell stops the program when a row is read.
    func relation(readBy property: String) -> String? {
        var seen: Set<String> = [property]
        var queue = [property]
        while let next = queue.popLast() {
            let named = members.properties.first {
                $0.name == next && !$0.isStatic && $0.storage == .computed
            }
            for used in named?.bindingSyntax.accessorBlock?.ownMemberNames ?? [] {
                let isRead = relations.first {
                    [$0.name, $0.projection, $0.wrapper].contains(used)
                }
                if let isRead { return isRead.name }
                if seen.insert(used).inserted { queue.append(used) }
            }
        }
        return nil
    }
}

extension AccessorBlockSyntax {
    /// The names that may be those of the type's own members: without a base, or with `self`.
    fileprivate var ownMemberNames: [String] {
        let tokens = Array(tokens(viewMode: .sourceAccurate))
        var names: [String] = []
        var locals: Set<String> = []
        for (index, token) in tokens.enumerated() {
            guard case .identifier = token.tokenKind else { continue }
            let before = index > 0 ? tokens[index - 1].text : ""
            let after = index + 1 < tokens.count ? tokens[index + 1].text : ""
            if ["let", "var", "for"].contains(before) || after == "in" {
                locals.insert(token.text)
            } else if before == "." {
                if index > 1, tokens[index - 2].text == "self" { names.append(token.text) }
            } else if after != ":" {
                names.append(token.text)
            }
        }
        return names.filter { !locals.contains($0) }
    }
}
