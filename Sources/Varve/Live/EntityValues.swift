internal import VarveEvents
public import VarveGraph

/// The values that one entity, or one of its properties, takes; see ``Store/values(of:id:)``.
///
/// The first comes at once. Of a consumer that falls far behind, values in between are left out. The
/// sequence ends when its task is cancelled, and when the store is closed.
public struct EntityValues<Entity: EntityModelProtocol, Value: Sendable>: AsyncSequence, Sendable {
    /// A value of the entity or of its property.
    public typealias Element = Value

    let source: StateSource
    let id: Entity.ID
    let reads: @Sendable (Entity?) -> Value
    /// Nil where the entity's version tells.
    let isSame: (@Sendable (Value, Value) -> Bool)?

    /// Begins with the value of now. Each iterator follows the store by itself.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// A value that is being followed.
    public struct Iterator: AsyncIteratorProtocol {
        private struct Reading {
            let value: Value
            /// Nil where there is no entity.
            let version: RowMetadata?
        }

        private let values: EntityValues
        private let watching: Watching
        private var arrivals: WatcherArrivals
        private var last: Reading?

        init(_ values: EntityValues) {
            self.values = values
            watching = Watching(values.source)
            arrivals = WatcherArrivals(watching.watcher)
        }

        /// Returns the next value, and waits until there is another one.
        ///
        /// - Returns: nil when the task is cancelled or the store is closed.
        public mutating func next() async -> Value? {
            while !Task.isCancelled {
                if let value = poll() { return value }
                guard await arrivals.wait() else { return nil }
            }
            return nil
        }

        private mutating func poll() -> Value? {
            guard var current = last else {
                let first = read(watching.shown.context)
                last = first
                return first.value
            }
            while let change = watching.watcher.pop() {
                if let rows = change.rows, !change.context.isTouched(Entity.self, in: rows) {
                    continue
                }
                let now = read(change.context)
                let isRepeated = isSame(current, now)
                current = now
                last = now
                if !isRepeated { return now.value }
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
