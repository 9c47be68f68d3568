package import VarveEvents
package import VarveLog
package import VarveTables

/// Makes the state that the checkpoint of a compaction will hold of the files: of the checkpoint before, and the log behind
/// it.
///
/// Each step takes some milliseconds, on any thread, one at a time.
package struct CompactedState: ~Copyable {
    private static let bytesPerStep = 1 << 20

    private let compaction: Compaction
    /// An image, until it is opened.
    private var imageFile: CheckpointFile?
    /// A checkpoint of pages, until all are read.
    private var checkpoint: CheckpointReading?
    private var transaction: StateTransaction?
    /// The image that the state was opened from; nil where there was none.
    package private(set) var image: StoredImage?
    /// Of rows that were tried.
    private var noted: TriedTypes?
    private var replay: SteppedReplay
    /// What the state is to have.
    private let indexes: [TypeNumber: [IndexDeclaration]]
    private let indexKeyBytesMax: Int
    private let memory: ReplayMemory?
    /// Makes them, once all was replayed.
    private var building: IndexBuilding?
    private let byteCount: UInt64
    private var bytesDone: UInt64 = 0

    /// Opens the checkpoint, and reads its first pages.
    ///
    /// - Parameters:
    ///   - indexes: those that the state is to have.
    ///   - indexKeyBytesMax: how many bytes of keys may be in memory to make one; see ``IndexBuilding``.
    ///   - memory: what pages may take; nil for no limit.
    package init(
        _ compaction: Compaction, indexes: [TypeNumber: [IndexDeclaration]],
        indexKeyBytesMax: Int, memory: ReplayMemory?
    ) throws(LogError) {
        let file = try compaction.openBase()
        let isImage = file?.header.isImage ?? false
        let reading = try CheckpointReading.begin(isImage ? nil : file)
        let replay = compaction.replayBehindBase()
        self.compaction = compaction
        self.replay = replay
        self.indexes = indexes
        self.indexKeyBytesMax = indexKeyBytesMax
        self.memory = memory
        byteCount = replay.byteCount + (file?.rawBytes.reduce(0, &+) ?? 0)
        transaction = file == nil ? StateTransaction(State(memory: memory)) : nil
        imageFile = isImage ? file : nil
        checkpoint = reading
    }

    /// How much of the files is read.
    package var fraction: Double { min(1, Double(bytesDone) / Double(max(byteCount, 1))) }

    /// Goes on; false when the state is there.
    package mutating func advance() throws(ReplayFailure<RecordError>) -> Bool {
        guard let transaction else {
            try advanceCheckpoint()
            return true
        }
        if building != nil {
            transaction.evictPages()
            return building?.advance() ?? false
        }
        var taken: UInt64 = 0
        do throws(ReplayFailure<RecordError>) {
            let goesOn = try replay.advance(Self.bytesPerStep) { record throws(RecordError) in
                taken += UInt64(record.payload.count)
                try transaction.take(record)
                transaction.evictPages()
            }
            bytesDone += taken
            transaction.dropWornIndexes()
            if !goesOn {
                building = IndexBuilding(
                    in: transaction, wanted: indexes, keyBytesMax: indexKeyBytesMax)
            }
            return true
        } catch {
            // What does not fit may be the block's fault.
            do throws(LogError) { try transaction.checkBlocks() } catch { throw .log(error) }
            throw error
        }
    }

    private mutating func advanceCheckpoint() throws(ReplayFailure<RecordError>) {
        do throws(LogError) {
            if let file = imageFile.take() {
                // Its blocks are compared with their checksums as they are read, or copied.
                let loaded = try file.openNotedImage(memory: memory)
                let transaction = StateTransaction(loaded.state)
                transaction.setRows = loaded.noted.map { SetRows(of: $0.readers.keys) }
                self.transaction = transaction
                (image, noted) = (loaded.image, loaded.noted)
                bytesDone += file.rawBytes.reduce(0, &+)
            } else if let bytes = try checkpoint?.advance() {
                bytesDone += bytes
            } else if let read = checkpoint.take() {
                transaction = StateTransaction(read.finish())
            }
        } catch {
            throw .log(error)
        }
    }

    /// What the checkpoint notes of rows that were tried, when ``advance()`` has returned false; nil for nothing.
    package var tried: TriedRows? {
        guard let noted, let base = image?.lastTransaction, let setRows = transaction?.setRows
        else { return nil }
        return TriedRows(noted, in: base, setRows)
    }

    /// The state, when ``advance()`` has returned false.
    package consuming func finish() throws(LogError) -> State {
        guard let transaction, transaction.lastTransaction.rawValue == compaction.sequence.rawValue
        else { throw .noSuchTransaction(compaction.sequence) }
        return transaction.publish()
    }
}

/// Reads the state in a checkpoint, a page at a time.
private struct CheckpointReading: ~Copyable {
    private let file: CheckpointFile
    private let reader: CheckpointReader
    private let decoder: CheckpointDecoder
    private var loader: StateLoader
    private let pages: [Int]
    private var position = 0

    private init(
        _ file: CheckpointFile, _ reader: CheckpointReader, _ decoder: CheckpointDecoder
    ) {
        self.file = file
        self.reader = reader
        self.decoder = decoder
        loader = StateLoader(decoder)
        pages = decoder.pages
    }

    /// Nil for no file.
    static func begin(_ file: CheckpointFile?) throws(LogError) -> CheckpointReading? {
        guard let file else { return nil }
        let reader = try file.makeReader()
        let decoder = try file.content { () throws(CheckpointReadFailure<LogError>) in
            try CheckpointDecoder(file.parts, rawBytes: file.rawBytes) { page throws(LogError) in
                PageBytes(try reader.read(file.pages[page]))
            }
        }
        return CheckpointReading(file, reader, decoder)
    }

    /// Returns how many bytes were read; nil when all are.
    mutating func advance() throws(LogError) -> UInt64? {
        guard position < pages.count else { return nil }
        let page = pages[position]
        position += 1
        let bytes = PageBytes(try reader.read(file.pages[page]))
        do throws(CheckpointContentError) {
            try loader.add(try decoder.decode(bytes, ofPage: page))
        } catch {
            throw file.damaged(error)
        }
        return UInt64(bytes.bytes.count)
    }

    consuming func finish() -> State { loader.finish() }
}
