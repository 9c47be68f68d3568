/// What a relation holds, without its type: what goes through a loaded graph goes from one of these to the next.
///
/// A graph may be loaded as deep as the data goes, so nothing here recurses.
@usableFromInline
class LoadedContent: @unchecked Sendable {
    @usableFromInline let isSlice: Bool
    @usableFromInline let hasEntities: Bool

    @inlinable
    init(isSlice: Bool, hasEntities: Bool) {
        self.isSlice = isSlice
        self.hasEntities = hasEntities
    }

    /// When the latest of the entities here was saved, in microseconds since 1970. Adds what their relations hold to
    /// `nested`.
    func latest(in context: Context, _ nested: inout [LoadedContent]) -> Int64? {
        preconditionFailure("the content of a relation without a type")
    }

    /// Whether both say the same in the same way, as far as this level goes. Adds the next one to `rest`.
    ///
    /// - Parameter other: content of a relation to the same type.
    func isIdentical(to other: LoadedContent, _ rest: inout LoadedPairs) -> Bool {
        preconditionFailure("the content of a relation without a type")
    }
}

extension EntityModelProtocol {
    /// Calls `body` with the content of each relation that says something.
    func forEachContent(_ body: (LoadedContent) -> Void) {
        withUnsafePointer(to: self) { address in
            for relation in Self._descriptor.relations {
                if let content = relation.content(in: UnsafeRawPointer(address)) { body(content) }
            }
        }
    }
}

extension RelationDescription {
    /// What the relation of the entity at an address holds; nil where it says nothing.
    func content(in entity: UnsafeRawPointer) -> LoadedContent? {
        // A relation is this one reference.
        (entity + offset).load(as: LoadedContent?.self)
    }
}

extension Sequence<LoadedContent> {
    /// When the latest of all that is loaded here and inside was saved.
    ///
    /// - Complexity: linear in what is loaded; what several relations share is looked at once.
    func latest(in context: Context) -> Int64? {
        var latest: Int64?
        var seen: Set<ObjectIdentifier> = []
        var waiting = Array(self)
        while let content = waiting.popLast() {
            if content.hasEntities, !seen.insert(ObjectIdentifier(content)).inserted { continue }
            guard let time = content.latest(in: context, &waiting) else { continue }
            latest = Swift.max(latest ?? time, time)
        }
        return latest
    }
}

/// The contents of relations that are yet to be compared, two by two.
struct LoadedPairs {
    private struct Pair: Hashable {
        let first: ObjectIdentifier
        let second: ObjectIdentifier
    }

    private var waiting: [(first: LoadedContent, second: LoadedContent)] = []
    private var seen: Set<Pair> = []

    /// Adds a pair to compare, unless it is known to be the same or to differ.
    ///
    /// - Returns: false where they differ already.
    mutating func add(_ first: LoadedContent?, _ second: LoadedContent?) -> Bool {
        guard first !== second else { return true }
        guard let first, let second, first.isSlice == second.isSlice,
            first.hasEntities == second.hasEntities
        else { return false }
        guard first.hasEntities else { return first.isIdentical(to: second, &self) }
        let pair = Pair(first: ObjectIdentifier(first), second: ObjectIdentifier(second))
        if seen.insert(pair).inserted { waiting.append((first, second)) }
        return true
    }

    /// Whether both of each pair, and of all pairs inside, say the same in the same way.
    mutating func areIdentical() -> Bool {
        while let pair = waiting.popLast() {
            guard pair.first.isIdentical(to: pair.second, &self) else { return false }
        }
        return true
    }
}
