import BenchmarkSupport
import VarveEvents
import VarveTables

/// Makes indexes on users, writes them in images, and replays changes beside them: a column for each index, and one for none.
struct IndexTurn {
    private static let indexes: [(String, FieldNumber?)] = [
        ("no index", nil), ("by e-mail", BenchmarkUser.email), ("by age", BenchmarkUser.age),
    ]
    private static let type = BenchmarkUser.layout.definition.number

    private let log: ReplayTurn
    private let users: [BenchmarkUser]
    /// Some of them, in an order without locality.
    private let some: [BenchmarkUser]

    /// Users whose e-mail addresses begin with random letters: neighbours share little.
    static func users(_ count: Int) -> [BenchmarkUser] {
        (0..<count).map { number in
            var user = BenchmarkUser(sample: number)
            user.email = address(number, SampleData.mixed(number))
            return user
        }
    }

    private static func address(_ number: Int, _ random: UInt64) -> String {
        var rest = random
        let letters = (0..<6).map { _ in
            defer { rest /= 26 }
            return UInt8(ascii: "a") + UInt8(rest % 26)
        }
        let name = String(decoding: letters, as: UTF8.self) + String(number, radix: 36)
        return name + "@mail.org"
    }

    init(_ workload: Workload) {
        users = workload.users
        log = ReplayTurn(workload)
        var seen: Set<Int> = []
        some = SampleData.randomNumbers(users.count / 10, below: users.count, seed: 11)
            .filter { seen.insert($0).inserted }.map { workload.users[$0] }
    }

    func run(_ report: inout Report) {
        for (column, field) in Self.indexes {
            let declaration = field.map { IndexDeclaration([.init($0)]) }
            measureInserts(declaration, column, &report)
            let state = makeState(declaration, column, &report)
            measureImages(state, declaration, column, &report)
            measureChanges(of: state, column, &report)
        }
    }

    // MARK: - Making

    private func makeState(
        _ declaration: IndexDeclaration?, _ column: String, _ report: inout Report
    ) -> State {
        let transaction = StateTransaction(State())
        for bytes in log.log { apply(bytes, to: transaction) }
        let state = transaction.publish()
        guard let declaration else { return state }
        return build(declaration, of: state, .indexBuild, .indexStep, column, &report)
    }

    /// In steps, as a compaction does.
    private func build(
        _ declaration: IndexDeclaration, of state: State, _ line: Line, _ stepLine: Line,
        _ column: String, _ report: inout Report
    ) -> State {
        let transaction = StateTransaction(state)
        var longest = 0.0
        report.measure(line, column, users.count) {
            var building = IndexBuilding(in: transaction, wanted: [Self.type: [declaration]])
            var goesOn = true
            while goesOn {
                longest = max(longest, ThreadClock.time { goesOn = building.advance() })
            }
        }
        report.add(stepLine, column, longest / 1e6)
        return transaction.publish()
    }

    private func measureImages(
        _ state: State, _ declaration: IndexDeclaration?, _ column: String, _ report: inout Report
    ) {
        report.add(.megabytes, column, Double(state.reservedBytes) / 1e6)
        for (line, compression) in [
            (Line.indexQuick, ImageCompression.quick), (.indexThorough, .thorough),
        ] {
            let file = ImageFile()
            do throws(ImageError) {
                var sink = file
                _ = try ImagePlan(state, compression: compression).write(to: &sink)
                report.add(line, column, Double(file.byteCount) / 1e6)
                guard declaration == nil, compression == .quick else { continue }
                for (column, field) in Self.indexes {
                    guard let field else { continue }
                    _ = build(
                        IndexDeclaration([.init(field)]), of: try State.open(file).state,
                        .indexBuildStored, .indexStepStored, column, &report)
                }
            } catch {
                preconditionFailure("A benchmark reads the image that it wrote: \(error)")
            }
        }
    }

    // MARK: - Beside changes

    private func measureInserts(
        _ declaration: IndexDeclaration?, _ column: String, _ report: inout Report
    ) {
        let transaction = StateTransaction(State())
        apply(log.log[0], to: transaction)
        if let declaration {
            precondition((try? transaction.declareIndex(of: Self.type, declaration)) == true)
        }
        report.measure(.indexInsert, column, users.count) {
            for bytes in log.log.dropFirst() { apply(bytes, to: transaction) }
        }
    }

    private func measureChanges(of state: State, _ column: String, _ report: inout Report) {
        for (line, change) in [
            (Line.indexText, Change.email), (.indexInteger, .age), (.indexOther, .score),
            (.indexDelete, .deletion),
        ] {
            let transactions = stride(from: 0, to: some.count, by: 500).enumerated().map {
                encode(
                    change, some[$1..<min($1 + 500, some.count)], of: state,
                    UInt64($0) + state.nextTransaction.rawValue)
            }
            let transaction = StateTransaction(state)
            report.measure(line, column, some.count) {
                for bytes in transactions { apply(bytes, to: transaction) }
            }
            transaction.rollBack()
        }
    }

    private enum Change {
        case email, age, score, deletion
    }

    private func encode(
        _ change: Change, _ users: ArraySlice<BenchmarkUser>, of state: State, _ number: UInt64
    ) -> [UInt8] {
        let time = Timestamp(microseconds: Int64(number))
        var encoder = TransactionEncoder()
        encoder.begin(id: TransactionID(number), time: time)
        var key = ByteWriter()
        for user in users {
            key.removeAll()
            key.writeText(user.id)
            key.withBytes { id in
                guard let entry = state.entry(of: Self.type, id: id), let version = entry.version
                else { preconditionFailure("a user is there") }
                let entity = encoder.entity(Self.type, id)
                if change == .deletion {
                    encoder.delete(
                        entity, keepsTombstone: false, ordinal: Ordinal(entry.stamps.ordinal),
                        previous: version, cause: .direct, row: entry.row, lists: [])
                } else {
                    encoder.update(
                        entity, previous: version, changes: Self.changes(change, of: user),
                        fields: BenchmarkUser.layout.definition.fields)
                }
            }
        }
        var bytes = ByteWriter()
        encoder.finish(TransactionHeader(id: TransactionID(number), time: time), into: &bytes)
        return bytes.copyBytes()
    }

    private static func changes(_ change: Change, of user: BenchmarkUser) -> FieldChanges {
        var changes = FieldChanges()
        do throws(CodecError) {
            switch change {
            case .email:
                let new = address(user.createdAt, SampleData.mixed(user.createdAt))
                try changes.append(1, old: { $0.writeText(user.email) }, new: { $0.writeText(new) })
            case .age:
                let new = Int64(user.age + 7) % 100
                try changes.append(
                    2, old: { $0.writeSigned(Int64(user.age)) }, new: { $0.writeSigned(new) })
            case .score:
                try changes.append(
                    4, old: { $0.write(littleEndian: user.score.bitPattern) },
                    new: { $0.write(littleEndian: (user.score + 1).bitPattern) })
            case .deletion: break
            }
        } catch {
            preconditionFailure("A benchmark writes values: \(error)")
        }
        return changes
    }

    private func apply(_ bytes: [UInt8], to transaction: StateTransaction) {
        ReplayTurn.withView(of: bytes) { view throws(ReplayError) in try transaction.apply(view) }
    }
}
