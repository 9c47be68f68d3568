internal import VarveEvents
public import VarveLog

/// The rescue of what a damaged store still holds, without the types of the program that wrote it.
public enum StoreSalvage {
    /// Brings every undamaged transaction of the store at `path` into a new store, and says what is
    /// lost. The damaged store is only read.
    ///
    /// - Parameter target: a directory that does not exist, or is empty. The new store appears there
    ///   as a whole, read back and verified, or not at all.
    public static func salvage(
        from path: String, to target: String
    ) throws(InspectionError) -> SalvageReport {
        try InspectionError.wrapping { () throws(LogError) in
            try NewDirectory(target).make { directory throws(LogError) in
                try LogSalvage.run(
                    from: POSIXFileSystem(path), to: directory,
                    content: .replaying(SalvageReplay()))
            }
        }
    }

    package static func salvage(
        from source: any FileSystem, to target: any FileSystem,
        environment: any LogEnvironment = SystemEnvironment(),
        configuration: LogConfiguration = LogConfiguration()
    ) throws(LogError) -> SalvageReport {
        try LogSalvage.run(
            from: source, to: target, environment: environment, configuration: configuration,
            content: .replaying(SalvageReplay()))
    }
}

extension SalvageContent {
    /// The content of transactions as a replay that tolerates losses understands it.
    fileprivate static func replaying(_ replay: SalvageReplay) -> SalvageContent {
        SalvageContent(
            load: { file throws(LogError) in replay.load(try file.loadState()) },
            pass: { record in
                switch record {
                case .catalog(let payload): replay.pass(definitions: payload)
                case .transaction(let transaction): replay.pass(transaction.payload)
                }
            },
            lookAhead: { record in
                switch record {
                case .catalog(let payload): replay.lookAhead(definitions: payload)
                case .transaction(let transaction): replay.lookAhead(transaction.payload)
                }
            },
            lose: { replay.lose(through: TransactionID($0.rawValue)) },
            skip: { replay.skip(through: TransactionID($0.rawValue)) },
            take: { Taken(replay, $0) },
            definitions: replay.encodeDefinitions,
            writeState: { writer throws(LogError) in try writer.append(replay.state) },
            lastTime: { replay.state.lastTime.microseconds })
    }
}

extension SalvageContent.Taken {
    fileprivate init(_ replay: SalvageReplay, _ transaction: LoggedTransaction) {
        do throws(EventError) {
            switch try replay.take(transaction.payload) {
            case .whole: self = .whole
            case .adjusted(let bytes, let changes, let count):
                self = .adjusted(bytes, changes: changes, count: count)
            }
        } catch {
            self = .unreadable("\(error)")
        }
    }
}

extension CheckpointWriter {
    /// Appends all of a state; answers the digest of its content.
    func append(_ state: ReplayState) throws(LogError) -> UInt64 {
        do {
            let encoder = try CheckpointEncoder(state.checkpointSource) {
                part, bytes throws(LogError) in
                try self.append(part, bytes)
            }
            return try encoder.run()
        } catch CheckpointFailure<LogError>.sink(let error) {
            throw error
        } catch {
            // Rows of an older definition that cannot be brought to the newest.
            throw .checkpointDamaged(
                file: header.reference.file.text, reason: "it cannot be written: \(error)")
        }
    }
}
