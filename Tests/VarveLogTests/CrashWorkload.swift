import VarveLog
import VarveTestSupport

/// What a workload does to a log, step by step.
enum CrashStep: String, CaseIterable, Sendable {
    /// Appends and syncs.
    case commit
    /// Appends without a sync.
    case append
    /// Appends until the segment rolls.
    case roll
    case seal
    /// Closes cleanly and opens again.
    case reopen
    /// Lets go as a killed process does and opens again.
    case kill
}

/// A workload that was run once on a disk whose power never failed.
struct CrashWorkload {
    let disk = SimulatedDisk()
    let test: TestLog
    /// After how many operations of the disk which transaction was acknowledged as durable.
    private(set) var acknowledged: [(operations: Int, sequence: LogSequence)] = []
    private(set) var issued = 0

    init(_ steps: [CrashStep]) throws {
        var test = TestLog(disk, segmentBytesMax: 700)
        test.configuration.frameBytesMax = ByteCount(200)
        self.test = test
        var log = try test.open().log
        for step in steps { try run(step, &log) }
        log.abandon()
    }

    private mutating func run(_ step: CrashStep, _ log: inout Log) throws {
        switch step {
        case .commit:
            try append(log)
            try log.sync()
            acknowledge(log)
        case .append: try append(log)
        case .roll:
            let segments = log.statistics.segments
            while log.statistics.segments == segments { try append(log) }
            acknowledge(log)
        case .seal: try log.seal()
        case .reopen:
            try log.close()
            acknowledge(log)
            log = try test.open().log
            acknowledge(log)
        case .kill:
            log.abandon()
            log = try test.open().log
            acknowledge(log)
        }
    }

    private mutating func append(_ log: Log) throws {
        issued += 1
        try log.append(Self.payload(issued))
    }

    private mutating func acknowledge(_ log: Log) {
        acknowledged.append((disk.operations.count, log.durableSequence))
    }

    /// Every fifth transaction takes three frames.
    static func payload(_ number: Int) -> [UInt8] {
        number % 5 == 0
            ? VarveLogTests.payload(number, bytes: 450)
            : VarveLogTests.payload(number, bytes: 40 + number % 7 * 30)
    }

    /// The newest transaction that a crash after `operations` must not lose.
    func acknowledged(after operations: Int) -> LogSequence {
        acknowledged.last { $0.operations <= operations }?.sequence ?? .none
    }
}
