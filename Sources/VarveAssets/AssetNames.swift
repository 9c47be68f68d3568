package import VarveEvents
package import VarveLog
internal import VarveReplay

/// The assets that the files of a store name: its newest checkpoint, and the transactions of its log.
package struct AssetNames {
    /// One entity that names an asset, for messages.
    package struct Place: Hashable, Sendable {
        package let asset: AssetReference
        package let type: String
        /// As JSON.
        package let id: String
        package let property: String
    }

    /// What was read of the log cannot be.
    package enum Failure: Error {
        case log(LogError)
        case transaction(LogSequence, FrameLocation, reason: String)
    }

    private let walk: AssetWalk

    /// - Parameter catalog: every definition that the log ever had.
    package init(_ catalog: Catalog) { walk = AssetWalk(catalog) }

    /// Nothing in the store names an asset.
    package var isEmpty: Bool { walk.isEmpty }

    /// Calls `body` with each asset that the state in a checkpoint names.
    ///
    /// - Parameter isCancelled: called now and then; then `.compactionCancelled` is thrown.
    package func forEach(
        in checkpoint: CheckpointFile, isCancelled: () -> Bool = { false },
        _ body: (AssetMention) -> Void
    ) throws(LogError) {
        walk.forEachFill(body)
        if checkpoint.header.isImage {
            return try forEach(inImage: checkpoint, isCancelled, body)
        }
        let reader = try checkpoint.makeReader()
        let types = walk.types
        for page in checkpoint.pages {
            let type = TypeNumber(page.key.subject)
            guard CheckpointPart.Kind(code: page.key.kind) == .rows, types.contains(type) else {
                continue
            }
            if isCancelled() { throw .compactionCancelled }
            let bytes = try reader.read(page)
            defer { bytes.deallocate() }
            do throws(CodecError) {
                try walk.forEachAsset(
                    inPage: UnsafeRawBufferPointer(bytes), count: Int(page.key.count), of: type,
                    behind: TransactionID(checkpoint.reference.sequence.rawValue), body)
            } catch {
                throw .checkpointDamaged(
                    file: checkpoint.reference.file.text, reason: "a page of entities: \(error)")
            }
        }
    }

    private func forEach(
        inImage checkpoint: CheckpointFile, _ isCancelled: () -> Bool,
        _ body: (AssetMention) -> Void
    ) throws(LogError) {
        let last = TransactionID(checkpoint.reference.sequence.rawValue)
        try checkpoint.forEachRow(of: walk.types, isCancelled: isCancelled) {
            type, id, row throws(CodecError) in
            try walk.forEachAsset(inRow: row, of: type, id: id, behind: last, body)
        }
    }

    /// Calls `body` with each asset that transactions of a log name, from one on.
    ///
    /// - Parameter isCancelled: called for each transaction; then `.compactionCancelled` is thrown.
    package func forEach(
        in log: LogSnapshot, from oldest: LogSequence, isCancelled: () -> Bool = { false },
        _ body: (AssetMention) -> Void
    ) throws(Failure) {
        walk.forEachFill(body)
        try forEachTransaction(in: log, from: oldest, isCancelled: isCancelled) {
            transaction throws(Failure) in
            try forEach(in: transaction, body)
        }
    }

    /// The bytes of assets that transactions of a log have taken from entities and given to none.
    ///
    /// - Parameters:
    ///   - checkpoint: the transaction behind which those are that count.
    ///   - isCancelled: called for each transaction; then `.compactionCancelled` is thrown.
    package func replacedBytes(
        in log: LogSnapshot, behind checkpoint: LogSequence, isCancelled: () -> Bool = { false }
    ) throws(Failure) -> UInt64 {
        guard let first = checkpoint.next, first <= log.lastSequence else { return 0 }
        var bytes: UInt64 = 0
        try forEachTransaction(
            in: log, from: max(log.oldestSequence, first), isCancelled: isCancelled
        ) { transaction throws(Failure) in
            var replaced = ReplacedAssets()
            try forEach(in: transaction) { replaced.note($0) }
            bytes &+= replaced.bytes
        }
        return bytes
    }

    private func forEachTransaction(
        in log: LogSnapshot, from oldest: LogSequence, isCancelled: () -> Bool,
        _ body: (LoggedTransaction) throws(Failure) -> Void
    ) throws(Failure) {
        do throws(ReplayFailure<Failure>) {
            try TransactionReader(log).forEachOldestFirst(from: oldest) {
                transaction throws(Failure) in
                if isCancelled() { throw .log(.compactionCancelled) }
                try body(transaction)
                return true
            }
        } catch {
            switch error {
            case .log(let error): throw .log(error)
            case .consumer(let error): throw error
            }
        }
    }

    private func forEach(
        in logged: LoggedTransaction, _ body: (AssetMention) -> Void
    ) throws(Failure) {
        do throws(EventError) {
            let transaction = try TransactionView(logged.payload)
            do throws(AssetWalkFailure<Never>) {
                try walk.forEachAsset(in: transaction, body)
            } catch {
                if case .events(let error) = error { throw error }
            }
        } catch {
            throw .transaction(logged.sequence, logged.location, reason: "\(error)")
        }
    }
}

extension AssetNames.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .log(let error): "\(error)"
        case .transaction(let sequence, let location, let reason):
            "\(location): transaction \(sequence): \(reason)"
        }
    }
}

extension AssetNames.Place {
    package init(_ mention: AssetMention) {
        self.init(
            asset: mention.asset, type: mention.definition.name, id: mention.idText,
            property: mention.property)
    }
}
