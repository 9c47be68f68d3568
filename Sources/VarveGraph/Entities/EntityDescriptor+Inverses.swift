public import Foundation
internal import VarveText

/// Why relations of two types do not fit together.
public struct RelationProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The persisted name of the type that declares the relation.
    public let type: String
    /// The persisted name of the relation.
    public let relation: String
    /// What is wrong with it.
    public let reason: String

    /// One line: type, relation and reason.
    public var description: String { message.text }

    private var message: ErrorMessage {
        ErrorMessage(
            "\(type).\(relation): \(reason)",
            "give each relation one other side, named on one side or on both")
    }
}

extension RelationProblem: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}

extension EntityDescriptor {
    /// The position, in the related type, of a relation's other side; nil for a one-way relation.
    ///
    /// One side is enough to declare it: the other is found by looking through the related type
    /// for relations that claim this one.
    package func inverse(of index: Int) throws(RelationProblem) -> Int? {
        let relation = relations[index]
        let child = relation.childDescriptor()
        guard let path = relation.inverse else {
            let claims = child.claims(on: relation)
            guard claims.count > 1 else { return claims.first }
            throw child.conflict(claims, on: "\(name).\(relation.name)")
        }
        guard let back = child.relationIndex(at: path.raw) else {
            throw problem(
                index, "it names an inverse that \(child.name) does not declare as a @Relationship")
        }
        let other = child.relations[back]
        if let answer = other.inverse, answer.raw != relation.path.raw {
            throw problem(
                index,
                "it names \(child.name).\(other.name) as its inverse, which names another relation")
        }
        let claims = claims(on: other)
        guard claims.count == 1 else { throw conflict(claims, on: "\(child.name).\(other.name)") }
        return back
    }

    /// The relations of this type that name `other` as their inverse.
    private func claims(on other: RelationDescription) -> [Int] {
        relations.indices.filter { relations[$0].inverse?.raw == other.path.raw }
    }

    private func conflict(_ claims: [Int], on other: String) -> RelationProblem {
        let names = claims.map { "\(name).\(relations[$0].name)" }.joined(separator: " and ")
        return problem(
            claims[0], "\(names) all name \(other) as their inverse, which can be that of one only")
    }

    private func problem(_ index: Int, _ reason: String) -> RelationProblem {
        RelationProblem(type: name, relation: relations[index].name, reason: reason)
    }

    /// What is wrong with the relations of this type and of all types that they lead to.
    package func relationProblems() -> [RelationProblem] {
        var seen: Set<ObjectIdentifier> = []
        var queue = [self]
        var problems: [RelationProblem] = []
        while let next = queue.popLast() {
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            for index in next.relations.indices {
                do throws(RelationProblem) {
                    _ = try next.inverse(of: index)
                } catch {
                    problems.append(error)
                }
                queue.append(next.relations[index].childDescriptor())
            }
            if let owner = next.tombstoneOwner { queue.append(owner._descriptor) }
        }
        return problems
    }
}
