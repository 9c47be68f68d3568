internal import VarveEvents

/// Two relations are equal when they hold the same ids, whatever else is loaded; see
/// ``Relation/isIdentical(to:)`` for an exact comparison.
extension Relation: Hashable {
    /// Whether both hold the same ids. See ``isIdentical(to:)``.
    public static func == (first: Self, second: Self) -> Bool {
        // Covered relations of two rows hold the same object, and cannot be read.
        if first.readableContent === second.content { return true }
        if let first = first.onlyID, let second = second.onlyID { return first == second }
        return first.heldIDs == second.heldIDs
    }
    /// Hashes the ids.
    public func hash(into hasher: inout Hasher) { hasher.combine(heldIDs) }
}

extension Relation {
    /// Whether both say the same in the same way: the same load state, and entities that are the
    /// same in every property and every relation, as deep as they are loaded.
    ///
    /// - Complexity: linear in everything that is loaded.
    public func isIdentical(to other: Self) -> Bool {
        var pairs = LoadedPairs()
        return pairs.add(content, other.content) && pairs.areIdentical()
    }
}

extension Relationship: Hashable {
    /// Whether both relations hold the same ids.
    public static func == (first: Self, second: Self) -> Bool { first.relation == second.relation }
    /// Hashes the ids of the relation.
    public func hash(into hasher: inout Hasher) { relation.hash(into: &hasher) }
}

extension Relationship {
    /// Whether both say the same in the same way; see ``Relation/isIdentical(to:)``.
    public func isIdentical(to other: Self) -> Bool { relation.isIdentical(to: other.relation) }
}

extension EntityModelProtocol {
    /// Whether both are the same in id, every stored property and every relation, as deep as
    /// relations are loaded.
    ///
    /// `==` of an entity compares relations by their ids alone, so an edit inside a loaded child
    /// goes unseen there; here it does not.
    ///
    /// - Complexity: linear in everything that is loaded.
    public func isIdentical(to other: Self) -> Bool {
        var pairs = LoadedPairs()
        return isIdentical(to: other, &pairs) && pairs.areIdentical()
    }

    /// Whether both are the same in id and every stored property. Adds what their relations hold to `rest`.
    func isIdentical(to other: Self, _ rest: inout LoadedPairs) -> Bool {
        guard Self._sameID(id, other.id) else { return false }
        var changes = FieldChanges()
        do {
            try Self._changes(from: self, to: other, into: &changes)
        } catch {
            // A value without a stored form is not the same as any other.
            return false
        }
        guard changes.isEmpty else { return false }
        // The value inside a tombstone has the tombstone's address.
        let owner = Self._descriptor.tombstoneOwner?._descriptor ?? Self._descriptor
        return withUnsafePointer(to: self) { first in
            withUnsafePointer(to: other) { second in
                owner.relations.allSatisfy {
                    rest.add($0.content(in: first), $0.content(in: second))
                }
            }
        }
    }
}
