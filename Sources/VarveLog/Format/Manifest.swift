/// What a store consists of. An immutable file; the highest generation counts. Generation 1 is
/// written when the store is created, a new one only by compaction.
package struct Manifest: Hashable, Sendable {
    package var version = FormatVersion.current
    package var features = FormatFeatures.none
    package var generation: UInt64
    package var store: StoreID
    /// When this manifest was written, microseconds since 1970. Information only.
    package var createdAt: Int64
    /// The oldest segment that belongs to the store.
    package var firstSegment: SegmentID
    /// The number of the first transaction in `firstSegment`.
    package var firstSequence: LogSequence
    /// The length and digest that the header of `firstSegment` names for the segment before it:
    /// where the chain starts.
    package var chainStartLength: ByteCount
    package var chainStart: ChainDigest
    /// Transactions below this one are not answered for. 1 when everything is kept.
    package var floor: LogSequence
    /// The checkpoint to start from, and its last transaction; 0 and `.none` when there is none.
    package var checkpoint: UInt64
    package var checkpointSequence: LogSequence
    /// The checkpoint to start from should that one be damaged; 0 and `.none` when there is none.
    package var previousCheckpoint: UInt64 = 0
    package var previousCheckpointSequence = LogSequence.none
    /// The policy of the last compaction; nil when there was none.
    package var retention: Retention?

    static let byteCount = 160
    /// No version's manifest is longer.
    static let byteCountMax = 1 << 20
}

extension Manifest {
    package func encode() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        bytes.withUnsafeMutableBytes { buffer in
            buffer.store(FileMagic.manifest, at: 0)
            buffer.store(version.major, at: 8)
            buffer.store(version.minor, at: 10)
            buffer.store(UInt32(Self.byteCount), at: 12)
            buffer.store(features.incompatible, at: 16)
            buffer.store(features.readOnlyCompatible, at: 20)
            buffer.store(features.compatible, at: 24)
            buffer.store(store.high.bigEndian, at: 32)
            buffer.store(store.low.bigEndian, at: 40)
            buffer.store(generation, at: 48)
            buffer.store(createdAt, at: 56)
            buffer.store(firstSegment.rawValue, at: 64)
            buffer.store(firstSequence.rawValue, at: 72)
            buffer.store(chainStartLength.rawValue, at: 80)
            buffer.store(chainStart.rawValue, at: 88)
            buffer.store(floor.rawValue, at: 96)
            buffer.store(checkpoint, at: 104)
            buffer.store(checkpointSequence.rawValue, at: 112)
            buffer.store(previousCheckpoint, at: 120)
            buffer.store(previousCheckpointSequence.rawValue, at: 128)
            buffer.store(retention?.code.kind ?? 0, at: 136)
            buffer.store(retention?.code.value ?? 0, at: 144)
            let covered = UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(buffer)[..<(Self.byteCount - 4)])
            buffer.store(Checksum.crc32c(covered), at: Self.byteCount - 4)
        }
        return bytes
    }

    /// Reads the manifest whose file name says `generation`. `bytes` are the whole file.
    static func decode(
        _ bytes: [UInt8], generation: UInt64, mode: LogMode
    ) throws(LogError) -> Manifest {
        let file = StoreFileName.manifest(generation: generation).text
        let manifest = try bytes.withUnsafeBytesTyped { buffer throws(LogError) in
            try decode(buffer, file: file)
        }
        try manifest.features.check(
            file: file, version: manifest.version, mode: mode,
            knownIncompatible: FormatFeatures.checkpoint)
        guard manifest.generation == generation else {
            throw .manifestDamaged(
                file: file, reason: "it says that it is generation \(manifest.generation)")
        }
        guard manifest.firstSegment.rawValue > 0, manifest.firstSequence.rawValue > 0 else {
            throw .manifestDamaged(file: file, reason: "it names no first segment")
        }
        guard generation < 1 << 62 else {
            throw .manifestDamaged(file: file, reason: "nobody counts this far")
        }
        guard manifest.checkpointsAreConsistent else {
            throw .manifestDamaged(file: file, reason: "its checkpoints contradict each other")
        }
        return manifest
    }

    /// The bit and the number say the same, the previous checkpoint is the older one, the log
    /// reaches back to one of them or to its own beginning, and nobody counts this far.
    private var checkpointsAreConsistent: Bool {
        let isNamed = features.incompatible & FormatFeatures.checkpoint != 0
        let limit: UInt64 = 1 << 62
        guard isNamed == (checkpoint != 0),
            firstSegment.rawValue < limit, firstSequence.rawValue < limit, floor.rawValue < limit
        else { return false }
        guard isNamed else {
            return previousCheckpoint == 0 && firstSequence.rawValue == 1
        }
        return checkpoint < limit && checkpointSequence.rawValue < limit
            && previousCheckpoint < checkpoint
            && (previousCheckpoint == 0) == (previousCheckpointSequence == .none)
            && previousCheckpointSequence < checkpointSequence
            && firstSequence <= checkpoints.last.map(\.sequence.following) ?? LogSequence(1)
    }

    /// The checkpoints to start from, the newest first.
    package var checkpoints: [CheckpointReference] {
        [(checkpoint, checkpointSequence), (previousCheckpoint, previousCheckpointSequence)]
            .filter { $0.0 != 0 }
            .map { CheckpointReference(number: $0.0, sequence: $0.1) }
    }

    private static func decode(
        _ buffer: UnsafeRawBufferPointer, file: String
    ) throws(LogError) -> Manifest {
        guard buffer.count >= byteCount,
            buffer.integer(at: 0, as: UInt64.self) == FileMagic.manifest,
            buffer.integer(at: 12, as: UInt32.self) == UInt32(clamping: buffer.count)
        else {
            throw .manifestDamaged(file: file, reason: "it is no manifest of \(byteCount) bytes")
        }
        let covered = UnsafeRawBufferPointer(rebasing: buffer[..<(buffer.count - 4)])
        let expected = Checksum.crc32c(covered)
        let found = buffer.integer(at: buffer.count - 4, as: UInt32.self)
        guard expected == found else {
            throw .manifestDamaged(
                file: file, reason: "its checksum should be \(expected) and is \(found)")
        }
        return Manifest(unchecked: buffer)
    }

    private init(unchecked buffer: UnsafeRawBufferPointer) {
        self.init(
            version: FormatVersion(
                major: buffer.integer(at: 8, as: UInt16.self),
                minor: buffer.integer(at: 10, as: UInt16.self)),
            features: FormatFeatures(
                incompatible: buffer.integer(at: 16, as: UInt32.self),
                readOnlyCompatible: buffer.integer(at: 20, as: UInt32.self),
                compatible: buffer.integer(at: 24, as: UInt32.self)),
            generation: buffer.integer(at: 48, as: UInt64.self),
            store: StoreID(
                high: buffer.integer(at: 32, as: UInt64.self).bigEndian,
                low: buffer.integer(at: 40, as: UInt64.self).bigEndian),
            createdAt: buffer.integer(at: 56, as: Int64.self),
            firstSegment: SegmentID(buffer.integer(at: 64, as: UInt64.self)),
            firstSequence: LogSequence(buffer.integer(at: 72, as: UInt64.self)),
            chainStartLength: ByteCount(buffer.integer(at: 80, as: UInt64.self)),
            chainStart: ChainDigest(buffer.integer(at: 88, as: UInt64.self)),
            floor: LogSequence(buffer.integer(at: 96, as: UInt64.self)),
            checkpoint: buffer.integer(at: 104, as: UInt64.self),
            checkpointSequence: LogSequence(buffer.integer(at: 112, as: UInt64.self)),
            previousCheckpoint: buffer.integer(at: 120, as: UInt64.self),
            previousCheckpointSequence: LogSequence(buffer.integer(at: 128, as: UInt64.self)),
            retention: Retention(
                kind: buffer.integer(at: 136, as: UInt32.self),
                value: buffer.integer(at: 144, as: UInt64.self)))
    }
}
