import VarveEvents
import VarveTables

/// Replays a log of inserted users into a state of the engine, and one of users, posts and their links.
struct ReplayTurn {
    private static let batch = 500

    private let workload: Workload
    let log: [[UInt8]]
    private let linkedLog: LinkedLog

    init(_ workload: Workload) {
        self.workload = workload
        linkedLog = LinkedLog(Array(workload.users.prefix(workload.users.count / 2)))
        let users = workload.users
        log = stride(from: 0, to: users.count, by: Self.batch).enumerated().map { index, start in
            Self.transaction(
                users, start..<min(start + Self.batch, users.count),
                TransactionID(UInt64(index + 1)))
        }
    }

    private static func transaction(
        _ users: [BenchmarkUser], _ range: Range<Int>, _ id: TransactionID
    ) -> [UInt8] {
        let time = Timestamp(microseconds: Int64(id.rawValue))
        let definition = BenchmarkUser.layout.definition
        var encoder = TransactionEncoder()
        encoder.begin(id: id, time: time)
        if range.lowerBound == 0 {
            do throws(CodecError) {
                try encoder.define(definition)
            } catch {
                preconditionFailure("\(error)")
            }
        }
        var key = ByteWriter()
        var row = ByteWriter()
        for index in range {
            key.removeAll()
            row.removeAll()
            key.writeText(users[index].id)
            users[index].encode(into: &row)
            let entity = key.withBytes { encoder.entity(definition.number, $0) }
            row.withBytes {
                encoder.insert(entity, ordinal: Ordinal(UInt64(index + 1)), previous: nil, row: $0)
            }
        }
        var bytes = ByteWriter()
        encoder.finish(TransactionHeader(id: id, time: time), into: &bytes)
        return bytes.copyBytes()
    }

    func run(_ report: inout Report) {
        let count = workload.users.count
        let type = BenchmarkUser.layout.definition.number
        var state = State()
        report.measure(.replay, "engine", count) {
            let transaction = StateTransaction(state)
            for bytes in log {
                Self.withView(of: bytes) { view throws(ReplayError) in try transaction.apply(view) }
            }
            state = transaction.publish()
        }
        precondition(state.counts(of: type).live == count)
        var sum = 0
        report.measure(.stateFind, "engine", workload.ids.count) {
            sum = Self.find(workload.ids[...], type, in: state)
        }
        workload.check(.find, sum)
        report.measure(.linkedReplay, "engine", linkedLog.users.count) {
            let transaction = StateTransaction(State())
            for bytes in linkedLog.transactions {
                Self.withView(of: bytes) { view throws(ReplayError) in try transaction.apply(view) }
            }
            state = transaction.publish()
        }
        precondition(state.counts(of: LinkedLog.posts.number).live == linkedLog.users.count)
    }

    // MARK: Images

    /// The state of the log, with an index by age.
    func state(blockBytes: Int) -> State {
        var state = State(blockBytes: blockBytes)
        for bytes in log {
            let transaction = StateTransaction(state)
            Self.withView(of: bytes) { view throws(ReplayError) in try transaction.apply(view) }
            state = transaction.publish()
        }
        let transaction = StateTransaction(state)
        let declaration = IndexDeclaration([.init(BenchmarkUser.age)])
        let type = BenchmarkUser.layout.definition.number
        precondition((try? transaction.declareIndex(of: type, declaration)) == true)
        return transaction.publish()
    }

    /// Gives users new rows, 500 a transaction.
    func save(_ users: [BenchmarkUser], in state: State) -> State {
        let type = BenchmarkUser.layout.definition.number
        var state = state
        for start in stride(from: 0, to: users.count, by: Self.batch) {
            let id = state.nextTransaction
            let time = Timestamp(microseconds: Int64(id.rawValue))
            var encoder = TransactionEncoder()
            encoder.begin(id: id, time: time)
            var key = ByteWriter()
            var row = ByteWriter()
            for user in users[start..<min(start + Self.batch, users.count)] {
                key.removeAll()
                row.removeAll()
                key.writeText(user.id)
                user.encode(into: &row)
                key.withBytes { id in
                    guard let entry = state.entry(of: type, id: id), let old = entry.version
                    else { return }
                    let entity = encoder.entity(type, id)
                    let ordinal = Ordinal(entry.stamps.ordinal)
                    encoder.delete(
                        entity, keepsTombstone: false, ordinal: ordinal, previous: old,
                        cause: .direct, row: entry.row, lists: [])
                    row.withBytes {
                        encoder.insert(entity, ordinal: ordinal, previous: nil, row: $0)
                    }
                }
            }
            var bytes = ByteWriter()
            encoder.finish(TransactionHeader(id: id, time: time), into: &bytes)
            let logged = bytes.copyBytes()
            let transaction = StateTransaction(state)
            Self.withView(of: logged) { view throws(ReplayError) in try transaction.apply(view) }
            state = transaction.publish()
        }
        return state
    }

    func find(_ ids: ArraySlice<String>, in state: State) -> Int {
        Self.find(ids, BenchmarkUser.layout.definition.number, in: state)
    }

    func scan(_ state: State) -> Int {
        guard var cursor = state.entries(of: BenchmarkUser.layout.definition.number) else {
            return 0
        }
        var sum = 0
        while let entry = cursor.nextEntry() {
            sum &+= BenchmarkUser(id: entry.id, row: entry.row).digest
        }
        return sum
    }

    private static func find(
        _ ids: ArraySlice<String>, _ type: TypeNumber, in state: State
    ) -> Int {
        var sum = 0
        var key = ByteWriter()
        for id in ids {
            key.removeAll()
            key.writeText(id)
            sum &+= key.withBytes { id in
                guard let entry = state.entry(of: type, id: id) else { return 0 }
                return BenchmarkUser(id: entry.id, row: entry.row).digest
            }
        }
        return sum
    }

    static func withView(
        of bytes: [UInt8], _ body: (TransactionView) throws(ReplayError) -> Void
    ) {
        do {
            try bytes.withUnsafeBytes { try body(TransactionView($0)) }
        } catch {
            preconditionFailure("A benchmark reads what it wrote: \(error)")
        }
    }
}
