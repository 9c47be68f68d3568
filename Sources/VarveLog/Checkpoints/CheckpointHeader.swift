/// The first bytes of a checkpoint: whose it is, and where in the log it stands.
///
/// A checkpoint stands at a border of segments: `nextSegment` starts with the transaction behind
/// `sequence`, and its header names the length and the digest of the segment before it, which are
/// repeated here. So a checkpoint that belongs to another course of the log never passes.
package struct CheckpointHeader: Hashable, Sendable {
    package var version = FormatVersion.current
    package var features = FormatFeatures.none
    package var store: StoreID
    package var number: UInt64
    /// The last transaction whose effects are in the checkpoint.
    package var sequence: LogSequence
    /// Its time.
    package var sequenceTime: Int64
    package var salt: UInt64
    /// The segment in which the log goes on.
    package var nextSegment: SegmentID
    package var previousLength: ByteCount
    package var previousDigest: ChainDigest
    package var createdAt: Int64

    static let byteCount = 128

    package var reference: CheckpointReference {
        CheckpointReference(number: number, sequence: sequence)
    }

    /// Whether the pages are the blocks and the root of an image.
    package var isImage: Bool { features.incompatible & FormatFeatures.image != 0 }

    var placeSeed: PlaceSeed { PlaceSeed(salt: salt, segment: SegmentID(number)) }
}

extension CheckpointHeader {
    func encode() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        bytes.withUnsafeMutableBytes { buffer in
            buffer.store(FileMagic.checkpoint, at: 0)
            buffer.store(version.major, at: 8)
            buffer.store(version.minor, at: 10)
            buffer.store(UInt32(Self.byteCount), at: 12)
            buffer.store(features.incompatible, at: 16)
            buffer.store(features.readOnlyCompatible, at: 20)
            buffer.store(features.compatible, at: 24)
            buffer.store(store.high.bigEndian, at: 32)
            buffer.store(store.low.bigEndian, at: 40)
            buffer.store(number, at: 48)
            buffer.store(sequence.rawValue, at: 56)
            buffer.store(salt, at: 64)
            buffer.store(nextSegment.rawValue, at: 72)
            buffer.store(previousLength.rawValue, at: 80)
            buffer.store(previousDigest.rawValue, at: 88)
            buffer.store(createdAt, at: 96)
            buffer.store(sequenceTime, at: 104)
            let covered = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<124])
            buffer.store(Checksum.crc32c(covered), at: 124)
        }
        return bytes
    }

    /// Reads the header of the checkpoint that the manifest names. `bytes` are the file's first.
    static func decode(
        _ bytes: [UInt8], of expected: CheckpointReference, store: StoreID, mode: LogMode
    ) throws(LogError) -> CheckpointHeader {
        let file = expected.file.text
        func damaged(_ reason: String) -> LogError {
            .checkpointDamaged(file: file, reason: reason)
        }
        let header = bytes.withUnsafeBytes { CheckpointHeader(checking: $0) }
        guard let header else { throw damaged("its header is not what was written") }
        try header.features.check(
            file: file, version: header.version, mode: mode,
            knownIncompatible: FormatFeatures.image)
        guard header.store == store else { throw damaged("it belongs to store \(header.store)") }
        guard header.reference == expected else {
            throw damaged(
                "it says that it is checkpoint \(header.number) of transaction \(header.sequence)")
        }
        return header
    }

    /// The header in a file's first bytes, whichever checkpoint it is of; nil where it is damaged.
    static func intact(_ bytes: [UInt8]) -> CheckpointHeader? {
        bytes.withUnsafeBytes { CheckpointHeader(checking: $0) }
    }

    /// Nil unless magic and checksum hold. A longer header of a later minor version is refused:
    /// pages would start elsewhere.
    private init?(checking buffer: UnsafeRawBufferPointer) {
        guard buffer.count >= Self.byteCount,
            buffer.integer(at: 0, as: UInt64.self) == FileMagic.checkpoint,
            buffer.integer(at: 12, as: UInt32.self) == UInt32(Self.byteCount),
            Checksum.crc32c(UnsafeRawBufferPointer(rebasing: buffer[..<124]))
                == buffer.integer(at: 124, as: UInt32.self)
        else { return nil }
        self.init(
            version: FormatVersion(
                major: buffer.integer(at: 8, as: UInt16.self),
                minor: buffer.integer(at: 10, as: UInt16.self)),
            features: FormatFeatures(
                incompatible: buffer.integer(at: 16, as: UInt32.self),
                readOnlyCompatible: buffer.integer(at: 20, as: UInt32.self),
                compatible: buffer.integer(at: 24, as: UInt32.self)),
            store: StoreID(
                high: buffer.integer(at: 32, as: UInt64.self).bigEndian,
                low: buffer.integer(at: 40, as: UInt64.self).bigEndian),
            number: buffer.integer(at: 48, as: UInt64.self),
            sequence: LogSequence(buffer.integer(at: 56, as: UInt64.self)),
            sequenceTime: buffer.integer(at: 104, as: Int64.self),
            salt: buffer.integer(at: 64, as: UInt64.self),
            nextSegment: SegmentID(buffer.integer(at: 72, as: UInt64.self)),
            previousLength: ByteCount(buffer.integer(at: 80, as: UInt64.self)),
            previousDigest: ChainDigest(buffer.integer(at: 88, as: UInt64.self)),
            createdAt: buffer.integer(at: 96, as: Int64.self))
    }
}
