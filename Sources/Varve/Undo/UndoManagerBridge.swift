// Foundation has an `UndoManager` on Apple's platforms only.
#if canImport(ObjectiveC)
    public import Foundation
    internal import VarveEvents

    /// Lets the undo menu, the shake gesture and the responder chain of an app undo what a store wrote.
    ///
    /// Every new step of the scope is registered with the undo manager under its label; undoing and
    /// redoing there calls ``Store/undo(scope:force:)`` and ``Store/redo(scope:force:)``. The store's own
    /// stacks stay what counts: where the store was undone by other means, what the manager has registered
    /// leads to the store's next step, or to an error that is handed on. Steps of earlier launches
    /// are not registered; the store has them.
    ///
    /// Keep it as long as the manager is to follow the store.
    @MainActor
    public final class UndoManagerBridge {
        private let store: Store
        private let scope: String?
        private let manager: UndoManager
        private let onError: @MainActor (any Error) -> Void
        /// The newest transaction whose step is registered.
        private var newest: TransactionID
        private var following: Task<Void, Never>?

        /// Registers the steps of a scope with an undo manager, from now on.
        ///
        /// - Parameters:
        ///   - store: the store whose steps are registered.
        ///   - scope: the undo stack; nil is the stack of writes without a scope.
        ///   - manager: the undo manager.
        ///   - onError: receives why an undo or redo was refused, as by ``StoreError/conflicts(_:)``; what the manager
        ///     had registered for it is gone then.
        public init(
            _ store: Store, scope: String? = nil, manager: UndoManager,
            onError: @escaping @MainActor (any Error) -> Void = { _ in }
        ) {
            self.store = store
            self.scope = scope
            self.manager = manager
            self.onError = onError
            newest = store.lastTransaction
            let (shown, number) = store.published.watch.bell()
            following = Task { [weak self] in
                for await _ in shown { self?.registerNewSteps() }
                store.published.watch.endBell(number)
            }
        }

        deinit { following?.cancel() }

        /// Registers the steps that were written since.
        private func registerNewSteps() {
            for step in newSteps().reversed() {
                newest = step.transactions.last ?? newest
                register(step.label, isUndo: true)
            }
        }

        /// Steps that begin behind the newest one that is registered, the next to be undone first. One
        /// that only grew is registered already.
        private func newSteps() -> [UndoStep] {
            Array(
                store.undoSteps(scope: scope).prefix { step in
                    step.transactions.first.map { $0 > newest } ?? false
                })
        }

        private func register(_ label: String?, isUndo: Bool) {
            manager.registerUndo(withTarget: self) { bridge in
                MainActor.assumeIsolated { bridge.move(isUndo: isUndo) }
            }
            if let label { manager.setActionName(label) }
        }

        /// Moves along the store's stacks, and registers the way back: the manager, which is undoing or
        /// redoing, puts that onto its other stack.
        private func move(isUndo: Bool) {
            do {
                let step = isUndo ? try store.undo(scope: scope) : try store.redo(scope: scope)
                // What a redo puts onto the store's stack is no new step.
                if !isUndo { newest = newSteps().last?.transactions.last ?? newest }
                register(step.label, isUndo: !isUndo)
            } catch {
                onError(error)
            }
        }
    }
#endif
