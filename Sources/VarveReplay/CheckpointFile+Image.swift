package import VarveEvents
package import VarveLog
package import VarveTables

/// The state in a checkpoint, and what the next checkpoint copies of it.
package struct LoadedCheckpoint {
    package let state: State
    /// Nil where the checkpoint holds pages of entities, as those of former versions do.
    package let image: StoredImage?
    /// What was not compared with its checksums; nil where all was.
    package var uncompared: ImageComparison?
    /// Of rows that were tried; nil for nothing, and where that was not asked for.
    package var noted: TriedTypes?
}

extension CheckpointFile {
    /// The size up to which all of an image is compared with its checksums before a part of it is read: that takes between
    /// one and two milliseconds with two processors, where 65 MB take 25.
    package static let smallImageBytes = ByteCount(4 << 20)

    /// Reads the state in the checkpoint, its pages on all cores.
    ///
    /// Of an image, the stored bytes of all pages are compared with their checksums, and the root is read. Its blocks
    /// are read when the state is. Of pages of entities all is read.
    ///
    /// - Parameters:
    ///   - limit: of an image that is larger, each block is compared with its checksum only when it is read.
    ///   - memory: what pages of an image may take; nil for no limit.
    ///
    /// Errors: `.checkpointDamaged` for content that cannot be; of several faults that of the first page.
    package func load(
        verifyingImagesUpTo limit: ByteCount = .max, memory: ReplayMemory? = nil
    ) throws(LogError) -> LoadedCheckpoint {
        guard header.isImage else {
            return LoadedCheckpoint(state: try readPages(), image: nil)
        }
        let source = try CheckpointImage(self)
        guard length > limit else {
            try source.verifyStored()
            return try open(source, memory)
        }
        var loaded = try open(source, memory)
        loaded.uncompared = ImageComparison(source)
        return loaded
    }

    /// Reads the state in the checkpoint; see ``load(verifyingImagesUpTo:)``.
    package func readState() throws(LogError) -> State { try load().state }

    /// Opens an image without a look at its blocks: each is compared with its checksum when it is read.
    func openImage(memory: ReplayMemory? = nil) throws(LogError) -> LoadedCheckpoint {
        try open(CheckpointImage(self), memory)
    }

    /// Opens an image in the same way, with what it notes of rows that were tried.
    func openNotedImage(memory: ReplayMemory?) throws(LogError) -> LoadedCheckpoint {
        var loaded = try openImage(memory: memory)
        loaded.noted = try loadTriedTypes()
        return loaded
    }

    private func open(
        _ source: CheckpointImage, _ memory: ReplayMemory? = nil
    ) throws(LogError) -> LoadedCheckpoint {
        let (state, image) = try source.wrapping { () throws(ImageError) in
            try State.open(source, memory: memory)
        }
        guard state.lastTransaction.rawValue == header.sequence.rawValue else {
            throw source.error(
                "it holds transaction \(state.lastTransaction), and its header says "
                    + "\(header.sequence)")
        }
        return LoadedCheckpoint(state: state, image: image)
    }
}

extension State {
    /// Runs what reads the state. Where the checkpoint under it turns out damaged meanwhile, its result is not used,
    /// and `damage` makes the error that is thrown.
    package func reading<Result, Failure: Error>(
        _ damage: (LogError) -> Failure, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(StateReadError<Failure>) {
            return try reading(body)
        } catch {
            switch error {
            case .failed(let error): throw error
            case .damaged(let found): throw damage(logError(of: found))
            }
        }
    }

    /// Damage of the checkpoint under the state that was met after the first `count` times; nil for none.
    package func damage(since count: Int) -> LogError? {
        do throws(PageDamage) {
            try health?.check(since: count)
            return nil
        } catch {
            return logError(of: error)
        }
    }

    /// The name of the checkpoint under the state; nil where all of it is in memory.
    package var checkpointFile: String? {
        (source as? CheckpointImage)?.file.reference.file.text
    }

    /// Compares the stored bytes of the checkpoint under the state with their checksums; nil where there is none.
    package var checkpointComparison: ImageComparison? {
        (source as? CheckpointImage).map(ImageComparison.init)
    }

    private func logError(of damage: PageDamage) -> LogError {
        .damaged(damage, in: source)
    }
}

extension StateTransaction {
    /// Throws where blocks of the checkpoint under the transaction could not be read: what was made of them is not to be
    /// used.
    package func checkBlocks() throws(LogError) {
        if let damage { throw .damaged(damage, in: source) }
    }
}

extension LogError {
    fileprivate static func damaged(_ damage: PageDamage, in source: (any BlockSource)?) -> LogError
    {
        if let image = source as? CheckpointImage {
            return image.error("\(damage)", at: damage.place?.offset)
        }
        return .checkpointDamaged(file: "the checkpoint", reason: "\(damage)")
    }
}

// MARK: - Content

extension CheckpointFile {
    private static let rowsPerLook = 4_096
    private static let rowsPerOpening = 1 << 17

    /// Calls `body` with the id and the row of each entity and tombstone of types, of an image.
    ///
    /// - Parameter isCancelled: called now and then; then `.compactionCancelled` is thrown.
    package func forEachRow(
        of types: Set<TypeNumber>, isCancelled: () -> Bool,
        _ body: (
            TypeNumber, _ id: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer
        ) throws(CodecError) -> Void
    ) throws(LogError) {
        for type in types.sorted() {
            var (start, count) = (0, 1)
            while start < count {
                // Opened again and again: the blocks that were read are released with the state.
                let state = try openImage().state
                count = state.counts(of: type).slots
                let slots = start..<min(start + Self.rowsPerOpening, count)
                try state.reading {
                    $0
                } _: { () throws(LogError) in
                    try forEachRow(of: type, slots, in: state, isCancelled: isCancelled, body)
                }
                start += Self.rowsPerOpening
            }
        }
    }

    private func forEachRow(
        of type: TypeNumber, _ slots: Range<Int>, in state: State, isCancelled: () -> Bool,
        _ body: (
            TypeNumber, _ id: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer
        ) throws(CodecError) -> Void
    ) throws(LogError) {
        guard var reader = state.reader(of: type) else { return }
        for slot in slots {
            if slot % Self.rowsPerLook == 0, isCancelled() { throw .compactionCancelled }
            do throws(CodecError) {
                _ = try reader.read(Slot(UInt32(truncatingIfNeeded: slot))) {
                    entity throws(CodecError) in try body(type, entity.id, entity.row)
                }
            } catch {
                throw .checkpointDamaged(
                    file: reference.file.text, reason: "an entity: \(error)")
            }
        }
    }

    /// What the content takes before compression.
    package func contentBytes() throws(LogError) -> UInt64 {
        guard header.isImage else { return size.raw.rawValue }
        return try open(CheckpointImage(self)).image?.pageBytes ?? 0
    }

    /// Where the blocks of an image lie in the file, and the parts of its directory; none of pages of entities. Reads its root and its
    /// directory.
    package func imageRanges() throws(LogError) -> (blocks: [Range<Int>], parts: [Range<Int>]) {
        guard header.isImage else { return ([], []) }
        let source = try CheckpointImage(self)
        guard let image = try open(source).image else { return ([], []) }
        func inFile(_ range: Range<UInt64>) -> Range<Int> {
            let start = Int(source.place(of: range.lowerBound).rawValue)
            return start..<start + range.count
        }
        do throws(PageDamage) {
            let ranges = try image.ranges()
            return (ranges.blocks.map(inFile), ranges.parts.map(inFile))
        } catch {
            throw LogError.damaged(error, in: source)
        }
    }

    /// What the content of each type takes in the file, by its number. Reads the structures of an image.
    package func bytesByType() throws(LogError) -> [UInt32: UInt64] {
        guard header.isImage else {
            return pages.reduce(into: [:]) { bytes, page in
                guard page.key.subject > 0 else { return }
                bytes[page.key.subject, default: 0] += page.storedBytes.rawValue
            }
        }
        let loaded = try open(CheckpointImage(self))
        guard let image = loaded.image else { return [:] }
        let bytes = try loaded.state.reading {
            $0
        } _: { () throws(LogError) in
            do throws(PageDamage) {
                return try image.storedBytes(ofTypesIn: loaded.state)
            } catch {
                throw LogError.damaged(error, in: loaded.state.source)
            }
        }
        return Dictionary(uniqueKeysWithValues: bytes.map { ($0.key.rawValue, $0.value) })
    }
}
