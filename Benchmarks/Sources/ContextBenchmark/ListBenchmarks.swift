import BenchmarkSupport
import Varve

/// What a change by position costs in lists of three lengths, beside handing over all of their ids.
func measureLists(_ suite: Suite) {
    suite.begin("lists")
    for length in [1_000, 10_000, 100_000] where length <= max(10_000, suite.options.rows) {
        ListBenchmarks(suite, length).measure()
    }
}

private struct ListBenchmarks {
    private let suite: Suite
    private let length: Int
    private let chat = Chat(id: 1, name: "chat")
    private let whole: Lazy<Context>
    /// With one more message, which was deleted.
    private let withDeleted: Lazy<Context>

    init(_ suite: Suite, _ length: Int) {
        self.suite = suite
        self.length = length
        let whole = Lazy { Dataset.context([Self.value(length)]) }
        self.whole = whole
        withDeleted = Lazy {
            expectingNoError {
                var context = whole.value
                let message = Message(id: -1, text: "deleted")
                try message.save(to: &context)
                try message.delete(from: &context)
                return context
            }
        }
    }

    /// A chat of so many messages, whose texts are in another order than the list.
    private static func value(_ length: Int) -> Chat {
        Chat(
            id: 1, name: "chat",
            messages: .relation(
                (0..<length).map { Message(id: $0, text: "text \($0 &* 7_919 % length)") }))
    }

    func measure() {
        changes("move one", operations: 1_000) { context, number in
            try chat.move(
                \.$messages, from: position(number), to: position(number + 500), in: &context)
        }
        changes("move one, another entity deleted", in: withDeleted, operations: 1_000) {
            context, number in
            try chat.move(
                \.$messages, from: position(number), to: position(number + 500), in: &context)
        }
        changes("move the last one to the front", operations: 1_000) { context, _ in
            try chat.move(\.$messages, from: length - 1, to: 0, in: &context)
        }
        changes("insert a new one", operations: 1_000) { context, number in
            try chat.insert(
                Message(id: length + number, text: "new"), at: position(number),
                relation: \.$messages, in: &context)
        }
        changes("detach one", operations: min(1_000, length / 2)) { context, number in
            try chat.detach(\.$messages, at: position(number) % (length / 2), in: &context)
        }
        changes("sort", operations: 1) { context, _ in
            try chat.sort(\.$messages, by: \.text, in: &context)
        }
        let ids = Lazy {
            var ids = Array(0..<length)
            ids.insert(ids.removeLast(), at: 0)
            return ids
        }
        changes("save with all ids, one moved", operations: 1) { context, _ in
            try Chat(id: 1, name: "chat", messages: .ids(ids.value)).save(to: &context)
        }
        measureStore()
    }

    /// A place of the list, another one for each number.
    private func position(_ number: Int) -> Int { number &* 104_729 % length }

    private func changes(
        _ name: String, in start: Lazy<Context>? = nil, operations: Int,
        _ change: (inout Context, Int) throws -> Void
    ) {
        suite.measure(
            "\(name), in a list of \(length)", operations: operations, unit: .microseconds,
            prepare: { (start ?? whole).value },
            { context in
                expectingNoError {
                    for number in 0..<operations { try change(&context, number) }
                }
            })
    }

    /// Measures moves in a store, each in a transaction of its own.
    private func measureStore() {
        suite.measure(
            "move one and commit, in a list of \(length)", operations: 1_000, unit: .microseconds,
            prepare: { store() },
            { store in
                expectingNoError {
                    for number in 0..<1_000 { try move(number, in: store) }
                }
            })
        suite.measure(
            "move one, commit and undo, in a list of \(length)", operations: 200,
            unit: .microseconds, prepare: { store() },
            { store in
                expectingNoError {
                    for number in 0..<200 {
                        try move(number, in: store)
                        try store.undo()
                    }
                }
            })
        suite.count("bytes logged by a move, in a list of \(length)", unit: "bytes") {
            var bytes = 0.0
            expectingNoError {
                let store = store()
                let before = store.statistics.log.rawBytes.rawValue
                for number in 0..<1_000 { try move(number, in: store) }
                bytes = Double(store.statistics.log.rawBytes.rawValue - before) / 1_000
            }
            return bytes
        }
    }

    private func store() -> Store {
        expectingNoError {
            let store = try Store.inMemory(compactsAutomatically: false, Chat.self)
            try store.write { try Self.value(length).save(to: &$0) }
            return store
        }
    }

    private func move(_ number: Int, in store: Store) throws {
        try store.write {
            try chat.move(
                \.$messages, from: position(number), to: position(number + 500), in: &$0)
        }
    }
}
