import SwiftSyntax

/// An entity as its source declares it: plain values, read once from the syntax, from which both
/// the diagnostics and the generated code are made.
struct EntityDeclaration {
    enum Identity {
        case missing
        /// Decoding assigns it.
        case assigned
        /// Computed, or a constant: every decoded entity has it already.
        case given
    }

    let type: DeclaredType
    let identity: Identity
    let fields: [FieldDeclaration]
    let relations: [RelationDeclaration]
    let indexes: [IndexDeclaration]
    /// What the struct declares itself.
    let declaredRequirements: Set<EntityRequirement>
    let members: MemberScan
}

extension EntityDeclaration {
    init(_ type: DeclaredType) {
        let members = MemberScan(type.membersSyntax)
        self.type = type
        self.members = members
        self.identity = Self.identity(of: members)
        self.fields = members.properties.filter(\.isField).map(FieldDeclaration.init)
        self.relations = members.properties.compactMap { property in
            guard !property.isStatic, let relationship = property.relationship else { return nil }
            return RelationDeclaration(property, relationship: relationship)
        }
        self.indexes = members.properties.compactMap { IndexDeclaration($0, in: type) }
        self.declaredRequirements = Set(
            EntityRequirement.allCases.filter { members.signatures.contains($0.rawValue) })
    }

    private static func identity(of members: MemberScan) -> Identity {
        guard let id = members.identityProperty else { return .missing }
        return id.storage == .computed || id.isFixed ? .given : .assigned
    }

    var identityProperty: PropertyDeclaration? { members.identityProperty }

    /// Whether the store gives the ids.
    var numbersIDs: Bool { identityProperty?.autoIncrements.isEmpty == false }
}

extension MemberScan {
    fileprivate var identityProperty: PropertyDeclaration? { properties.first(where: \.isIdentity) }
}

extension PropertyDeclaration {
    var isIdentity: Bool { name == "id" && !isStatic }

    /// Persisted among the fields of an entity.
    fileprivate var isField: Bool {
        !isIdentity && isStoredField
    }

    /// Stored in each instance, assigned when one is decoded, and no relation or index.
    var isStoredField: Bool {
        !isStatic && storage == .stored && !isFixed && relationship == nil && !isIndex
            && unknownWrapper == nil
    }
}
