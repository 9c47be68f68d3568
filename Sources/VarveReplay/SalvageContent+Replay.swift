internal import VarveEvents
package import VarveLog
package import VarveTables

extension SalvageContent {
    /// The content of transactions as a replay that tolerates losses understands it.
    package static func replaying(_ replay: SalvageReplay = SalvageReplay()) -> SalvageContent {
        SalvageContent(
            load: { file throws(LogError) in
                let state = try file.readState()
                try state.readAll(of: file)
                replay.load(state)
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
            writeState: { writer throws(LogError) in
                try writer.append(replay.currentState(), .quick)
            },
            lastTime: { replay.lastTime.microseconds })
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

extension State {
    /// Throws where the content of an image cannot be read, before its pages are copied.
    fileprivate func readAll(of file: CheckpointFile) throws(LogError) {
        guard source != nil else { return }
        try file.verifyContent()
        try reading {
            $0
        } _: { () throws(LogError) in
            do throws(CodecError) {
                _ = try digest()
            } catch {
                throw .checkpointDamaged(file: file.reference.file.text, reason: "\(error)")
            }
        }
    }
}
