internal import Observation
internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// What an object that is observed shows, and the task that brings it up to date.
///
/// The task ends with the object, and with the store. Any thread may read; observers are notified on one actor.
final class ObservedState<Value: Sendable>: Sendable {
    /// What observers read. The task holds it, and not the object that they have.
    private final class Shown: Observable, Sendable {
        private let registrar = ObservationRegistrar()
        private let held: Lock<Value>

        init(_ value: Value) { held = Lock(value) }

        var value: Value {
            registrar.access(self, keyPath: \.value)
            return held.withLock { $0 }
        }

        /// Runs on the actor, so that observers are notified there.
        func replace(by value: Value, on actor: isolated any Actor) {
            let former = held.withLock { held in
                defer { held = value }
                return held
            }
            // A snapshot is released outside of the lock.
            withExtendedLifetime(former) {}
            // Behind the change: an observer on another actor may read, and observe anew, before this returns.
            registrar.withMutation(of: self, keyPath: \.value) {}
        }
    }

    private let shown: Shown
    private let following: Task<Void, Never>

    /// Shows a first value, and then those that a sequence delivers.
    ///
    /// - Parameter start: begins the sequence, away from the actor. What it returns is called for each next value; nil
    ///   is the end.
    init(
        _ first: Value, on actor: any Actor,
        _ start: @escaping @Sendable () -> () async -> Value?
    ) {
        let shown = Shown(first)
        self.shown = shown
        following = Task.detached {
            let next = start()
            while let value = await next() { await shown.replace(by: value, on: actor) }
        }
    }

    deinit { following.cancel() }

    /// The newest value. Reading it counts for observers that track changes.
    var value: Value { shown.value }
}

extension ObservedState {
    /// Shows what is made of the results of a query.
    convenience init<Entity: EntityModelProtocol>(
        _ query: LiveQuery<Entity>, _ source: StateSource, on actor: any Actor,
        _ value: @escaping @Sendable (ResultUpdate<Entity>) -> Value
    ) {
        let watching = Watching(source)
        let list = query.list(in: watching.shown.context)
        let first = ResultUpdate(
            list: list, changes: ResultChanges(), transaction: watching.shown.lastTransaction)
        self.init(value(first), on: actor) {
            var updates = LiveResults.Iterator(watching, query, list: list)
            return { await updates.next().map(value) }
        }
    }
}
