import SwiftSyntax

/// A storable type as its source declares it: plain values, read once from the syntax.
struct StorableDeclaration {
    enum Shape {
        case structure([FieldDeclaration])
        /// The number of a case in the stored form is its position here.
        case enumeration([CaseDeclaration])
    }

    let type: DeclaredType
    let shape: Shape
    /// What the type declares itself.
    let declaredRequirements: Set<StorableRequirement>
    let members: MemberScan
}

extension StorableDeclaration {
    init(_ type: DeclaredType) {
        let members = MemberScan(type.membersSyntax)
        self.type = type
        self.members = members
        if type.keyword == .enum {
            self.shape = .enumeration(members.cases)
        } else {
            let stored = members.properties.filter(\.isStoredField)
            self.shape = .structure(stored.map(FieldDeclaration.init))
        }
        self.declaredRequirements = Set(
            StorableRequirement.allCases.filter { members.signatures.contains($0.rawValue) })
    }
}
