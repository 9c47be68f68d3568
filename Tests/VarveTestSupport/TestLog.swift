package import VarveLog

/// What a log delivered: everything a test compares.
package struct LogContent: Equatable, Sendable {
    package init() {}

    package var transactions: [[UInt8]] = []
    package var times: [Int64] = []
    package var catalogs: [[UInt8]] = []

    package var lastSequence: LogSequence { LogSequence(UInt64(transactions.count)) }
}

/// A log under test, opened from any file system.
package struct TestLog {
    package let fileSystem: any FileSystem
    package var environment: any LogEnvironment
    package var configuration = LogConfiguration()

    package init(
        _ fileSystem: any FileSystem, segmentBytesMax: UInt64 = 64 << 20, seed: UInt64 = 1
    ) {
        environment = SimulatedEnvironment(seed: seed)
        self.fileSystem = fileSystem
        configuration.segmentBytesMax = ByteCount(segmentBytesMax)
    }

    package func create() throws(LogError) {
        try LogCreation.createIfAbsent(in: fileSystem, environment: environment)
    }

    package func scan(_ mode: LogMode) throws(LogError) -> ScannedLog {
        try ScannedLog.scan(
            fileSystem, environment: environment, configuration: configuration, mode: mode)
    }

    /// Creates when needed, scans, replays and recovers.
    package func open() throws(LogError) -> OpenedLog {
        try create()
        let scanned = try scan(.readWrite)
        let content = try Self.replay(scanned)
        let (log, report) = try scanned.recover { Self.prologue }
        return OpenedLog(log: log, content: content, report: report)
    }

    package func read() throws(LogError) -> (content: LogContent, report: RecoveryReport) {
        let scanned = try scan(.readOnly)
        return (try Self.replay(scanned), scanned.report)
    }

    /// The definitions that every segment of a test log starts with.
    package static let prologue: [UInt8] = Array("definitions".utf8)

    package static func replay(_ scanned: ScannedLog) throws(LogError) -> LogContent {
        var content = LogContent()
        do {
            try scanned.replay { (record: LogRecord) throws(Never) in
                switch record {
                case .catalog(let payload): content.catalogs.append(Array(payload))
                case .transaction(let transaction):
                    content.transactions.append(Array(transaction.payload))
                    content.times.append(transaction.time)
                }
            }
        } catch {
            switch error {
            case .log(let error): throw error
            }
        }
        return content
    }
}

package struct OpenedLog {
    package let log: Log
    package let content: LogContent
    package let report: RecoveryReport
}

extension Log {
    /// Appends the next transaction. Its time is its number times ten.
    package func append(_ payload: [UInt8]) throws(LogError) {
        guard let sequence = lastSequence.next else { preconditionFailure("no test counts so far") }
        try payload.withUnsafeBytesTyped { bytes throws(LogError) in
            try append(
                sequence: sequence, time: Int64(sequence.rawValue) * 10, payload: bytes)
        }
    }

    package func append(text: String) throws(LogError) {
        try append(Array(text.utf8))
    }
}

/// A payload that tells its number and compresses well.
package func payload(_ number: Int, bytes: Int = 100) -> [UInt8] {
    let text = Array("transaction \(number) ".utf8)
    return (0..<bytes).map { text[$0 % text.count] }
}
