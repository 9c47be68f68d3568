public import Foundation
internal import VarveEvents
public import VarveLog

extension Store {
    /// Brings every undamaged transaction of a damaged store into a new one, and says exactly what
    /// is lost. The damaged store is only read, whatever happens.
    ///
    /// It takes no types: entities of all types are taken as they are. Transactions keep their
    /// numbers, times and labels; empty ones stand for those that are lost between others. The new
    /// store has an identity of its own. All of its state is in memory meanwhile.
    ///
    /// - Parameters:
    ///   - damaged: the directory of the damaged store. No program may have it open for writing.
    ///   - url: a directory that does not exist, or is empty. The new store appears there as a whole,
    ///     read back and verified, or not at all.
    /// - Throws: ``StoreError``, also when there is nothing to be salvaged.
    @discardableResult
    public static func salvage(from damaged: URL, to url: URL) throws -> SalvageReport {
        try StoreError.wrapping { () throws(LogError) in
            try NewDirectory(url.path).make { directory throws(LogError) in
                try LogSalvage.run(
                    from: POSIXFileSystem(damaged.path), to: directory,
                    content: .replaying(SalvageReplay()))
            }
        }
    }
}

extension SalvageContent {
    /// The content of transactions as a replay that tolerates losses understands it.
    fileprivate static func replaying(_ replay: SalvageReplay) -> SalvageContent {
        SalvageContent(
            load: { file throws(LogError) in replay.load(try CheckpointLoading(file: file).load())
            },
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
    /// Appends all of a replayed state; answers the digest of its content.
    fileprivate func append(_ state: ReplayState) throws(LogError) -> UInt64 {
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
