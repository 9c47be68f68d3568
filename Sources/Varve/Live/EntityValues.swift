internal import VarveEvents
public import VarveGraph

/// The values that one entity, or one of its properties, takes; see ``Store/values(of:id:)``.
///
/// The first comes at once. Of a consumer that falls far behind, values in between are left out. The
/// sequence ends when its task is cancelled.
public struct EntityValues<Entity: EntityModelProtocol, Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let store: Store
    let id: Entity.ID
    let reads: @Sendable (Entity?) -> Value
    /// Nil where the entity's version tells.
    let isSame: (@Sendable (Value, Value) -> Bool)?

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    public struct Iterator: AsyncIteratorProtocol {
        private struct Reading {
            let value: Value
            /// Nil where there is no entity.
            let version: RowMetadata?
        }

        private let values: EntityValues
        private let watching: Watching
        private var changes: StateChanges
        private var last: Reading?

        init(_ values: EntityValues) {
            self.values = values
            watching = Watching(values.store)
            changes = StateChanges(watching)
        }

        public mutating func next() async -> Value? {
            guard let last else {
                if Task.isCancelled { return nil }
                let first = read(watching.shown.context)
                self.last = first
                return first.value
            }
            while let change = await changes.next() {
                if let rows = change.rows, !change.context.isTouched(Entity.self, in: rows) { continue }
                let now = read(change.context)
                self.last = now
                if !isSame(last, now) { return now.value }
            }
            return nil
        }

        private func isSame(_ first: Reading, _ second: Reading) -> Bool {
            values.isSame?(first.value, second.value) ?? (first.version == second.version)
        }

        private func read(_ context: Context) -> Reading {
            Reading(
                value: values.reads(context.find(values.id)),
                version: context.version(of: Entity.self, id: values.id))
        }
    }
}
