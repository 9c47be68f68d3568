package import VarveEvents
package import VarveLog
package import VarveTables

/// Why a record whose frames are intact cannot be taken.
package enum RecordError: Error, Hashable, Sendable {
    /// The definitions at the head of the segment that begins behind a transaction.
    case definitions(behind: TransactionID, reason: String)
    /// The transaction cannot be read, or does not follow from what was before.
    case transaction(TransactionID, FrameLocation, reason: String)

    package var reason: String {
        switch self {
        case .definitions(_, let reason), .transaction(_, _, let reason): reason
        }
    }
}

extension TransactionView {
    /// Reads a transaction of the log, which must call itself what the log calls it.
    package init(_ logged: LoggedTransaction) throws(RecordError) {
        try self.init(logged, at: logged.payload)
    }

    /// Reads a transaction whose payload's bytes are elsewhere by now.
    init(_ logged: LoggedTransaction, at payload: UnsafeRawBufferPointer) throws(RecordError) {
        let id = TransactionID(logged.sequence.rawValue)
        do throws(EventError) {
            self = try TransactionView(payload)
        } catch {
            throw .transaction(id, logged.location, reason: "\(error)")
        }
        guard self.id == id else {
            throw .transaction(id, logged.location, reason: "it calls itself \(self.id)")
        }
    }
}

extension StateTransaction {
    /// Takes what a replay delivers. After an error the transaction is to be rolled back.
    package func take(_ record: LogRecord) throws(RecordError) {
        switch record {
        case .catalog(let payload): try payload.checkDefinitions(behind: lastTransaction)
        case .transaction(let logged): try apply(try TransactionView(logged), logged.location)
        }
    }

    /// Takes what was read ahead.
    func take(_ record: ReadRecord) throws(RecordError) {
        switch record {
        case .catalog(let payload): try payload.checkDefinitions(behind: lastTransaction)
        case .transaction(let view, let location): try apply(view, location)
        }
    }

    private func apply(_ view: TransactionView, _ location: FrameLocation) throws(RecordError) {
        do throws(ReplayError) {
            try apply(view)
        } catch {
            throw .transaction(view.id, location, reason: error.reason)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The definitions at a segment's head must be readable; what they say is known already.
    func checkDefinitions(behind last: TransactionID) throws(RecordError) {
        do throws(CodecError) {
            _ = try Catalog.decodeDefinitions(self)
        } catch {
            throw .definitions(behind: last, reason: "\(error)")
        }
    }
}
