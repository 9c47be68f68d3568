import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// A random log, applied to one state after the other, with indexes that come and go.
struct StateHistory: ~Copyable {
    private var model: ReplayModel
    private var generator: SeededGenerator
    private(set) var state = State()

    init(seed: Int) {
        model = ReplayModel(seed: UInt64(seed))
        generator = SeededGenerator(seed: UInt64(seed) << 24)
    }

    /// Goes on behind a state that was opened from an image of the newest one.
    mutating func move(to state: State) { self.state = state }

    func reclaim() { state.store.reclaim() }

    mutating func advance(_ count: Int) throws {
        for _ in 0..<count {
            let bytes = try model.transaction()
            state = try state.changed { transaction in
                try bytes.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
            }
            if generator.chance(6) { try declareIndex() }
        }
    }

    /// The next transaction of the log, which is not applied.
    mutating func next() throws -> [UInt8] { try model.transaction() }

    private mutating func declareIndex() throws {
        guard let table = state.tables.randomElement(using: &generator) else { return }
        let fields = table.definition.fields.shuffled(using: &generator).prefix(2)
        guard !fields.isEmpty else { return }
        let declaration = IndexDeclaration(fields.map { .init($0.number) })
        let type = table.definition.number
        state = try state.changed { transaction in
            _ = try transaction.declareIndex(of: type, declaration)
        }
    }

    /// Of the model, which knows no pages.
    func digest() -> UInt64 { model.digest() }
}
