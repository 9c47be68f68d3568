import SwiftSyntax

extension EntityDeclaration {
    /// The relation that a computed property reads, itself or through other properties and methods, as far as the
    /// struct's own source tells. What it does not tell stops the program when a row is read.
    func relation(readBy property: String) -> String? {
        let start = MemberRead(name: property, labels: nil)
        var seen: Set<MemberRead> = [start]
        var queue = [start]
        while let next = queue.popLast() {
            for read in bodies(of: next).flatMap({ MemberReads(in: $0).found }) {
                let isRead = relations.first {
                    [$0.name, $0.projection, $0.wrapper].contains(read.name)
                }
                if let isRead { return isRead.name }
                if seen.insert(read).inserted { queue.append(read) }
            }
        }
        return nil
    }

    /// What runs where a member of the struct is read or called.
    private func bodies(of read: MemberRead) -> [Syntax] {
        let properties = members.properties.filter {
            $0.name == read.name && !$0.isStatic && $0.storage == .computed
        }
        let functions = members.functions.filter {
            $0.name.bareText == read.name && $0.modifiers.typeKeyword == nil && $0.fits(read.labels)
        }
        return properties.flatMap { $0.bindingSyntax.accessorBlock?.getters ?? [] }
            + functions.map { Syntax($0) }
    }
}

extension AccessorBlockSyntax {
    /// What runs where the property is read.
    fileprivate var getters: [Syntax] {
        if case .getter(let statements) = accessors { return [Syntax(statements)] }
        guard case .accessors(let list) = accessors else { return [] }
        return list.filter {
            ["get", "_read", "unsafeAddress"].contains($0.accessorSpecifier.text)
        }
        .compactMap { $0.body.map { Syntax($0) } }
    }
}

extension FunctionDeclSyntax {
    /// Whether a call with these labels may be one of the function: parameters with default values may be left out, and
    /// closures may follow. Without labels it is no call that tells one function from another.
    fileprivate func fits(_ labels: [String]?) -> Bool {
        guard let labels else { return true }
        var rest = labels[...]
        for parameter in signature.parameterClause.parameters
        where parameter.firstName.text == rest.first {
            rest.removeFirst()
        }
        return rest.isEmpty
    }
}
