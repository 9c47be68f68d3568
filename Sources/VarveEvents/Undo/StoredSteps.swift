import Synchronization

/// The lower entries of a stack as a checkpoint holds them: they are made when the first of them is needed.
///
/// A store may have a hundred thousand steps, of which most openings need none but the uppermost. Making entries of all
/// took longer than everything else in an opening.
final class StoredSteps: Sendable {
    /// The transaction of the lowest entry.
    let lowest: TransactionID
    /// What `StoredStepReader` has passed over.
    private let bytes: [UInt8]
    private let count: Int
    private let moves: UInt64
    private let made = Atomic<Unmanaged<StepEntry>?>(nil)

    init(_ bytes: UnsafeRawBufferPointer, count: Int, lowest: TransactionID, moves: UInt64) {
        self.bytes = Array(bytes)
        self.count = count
        self.lowest = lowest
        self.moves = moves
    }

    /// The uppermost of them.
    var top: StepEntry {
        if let made = made.load(ordering: .acquiring) { return made.takeUnretainedValue() }
        let entry = Unmanaged.passRetained(make())
        // Of two threads that make them at once, one drops what it has made.
        let (isKept, other) = made.compareExchange(
            expected: nil, desired: entry, ordering: .acquiringAndReleasing)
        guard !isKept, let other else { return entry.takeUnretainedValue() }
        entry.release()
        return other.takeUnretainedValue()
    }

    private func make() -> StepEntry {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            var steps = StoredStepReader(through: .limit, moves: moves)
            var top: StepEntry?
            do throws(CodecError) {
                for _ in 0..<count { top = try steps.readEntry(&reader, on: top) }
            } catch {
                preconditionFailure("what was passed over cannot be read: \(error)")
            }
            guard let top else { preconditionFailure("a stack without steps is not stored") }
            return top
        }
    }

    deinit { made.load(ordering: .relaxed)?.release() }
}

/// Reads the entries of a stack one after the other, the lowest first.
struct StoredStepReader {
    /// Also of what is written.
    enum Flag {
        static let joins: UInt8 = 0x01
        static let label: UInt8 = 0x02
        static let group: UInt8 = 0x04
    }

    private let last: TransactionID
    private let moves: UInt64
    /// Of the entry that was read before; 0 in front of the first.
    private(set) var transaction: TransactionID = 0
    private var time: Int64 = 0

    /// - Parameters:
    ///   - last: no transaction is behind it.
    ///   - moves: how many undos and redos have led to each entry at least.
    init(through last: TransactionID, moves: UInt64) {
        self.last = last
        self.moves = moves
    }

    /// - Parameters:
    ///   - top: the entry that was read before.
    ///   - stored: what was passed over, where none was read.
    mutating func readEntry(
        _ reader: inout ByteReader, on top: StepEntry?, above stored: StoredSteps? = nil
    ) throws(CodecError) -> StepEntry {
        let flags = try readHead(&reader)
        return StepEntry(
            transaction, time: Timestamp(microseconds: time),
            label: flags & Flag.label != 0 ? try reader.readText() : nil,
            group: flags & Flag.group != 0 ? try reader.readText() : nil,
            joins: flags & Flag.joins != 0, moves: moves, below: top, above: stored)
    }

    /// Passes over an entry, and refuses what `readEntry` refuses. Returns whether it belongs to the step of the one before.
    mutating func skipEntry(_ reader: inout ByteReader) throws(CodecError) -> Bool {
        let flags = try readHead(&reader)
        if flags & Flag.label != 0 { try reader.skipText() }
        if flags & Flag.group != 0 { try reader.skipText() }
        return flags & Flag.joins != 0
    }

    private mutating func readHead(_ reader: inout ByteReader) throws(CodecError) -> UInt8 {
        let isFirst = transaction == 0
        transaction = try Timeline.readTransaction(
            &reader, after: transaction.rawValue, through: last)
        time &+= try reader.readSigned()
        let offset = reader.position
        let flags = try reader.readFlags(
            known: Flag.joins | Flag.label | Flag.group, of: "undo step")
        guard flags & Flag.joins == 0 || !isFirst else {
            throw .invalidValue(offset: offset, typeName: "undo step")
        }
        return flags
    }

    // MARK: Stacks

    /// How many entries are made at once. A user reaches for the uppermost.
    private static let upperCount = 64

    /// The uppermost entry of a stack.
    static func readStack(
        _ reader: inout ByteReader, through last: TransactionID, moves: UInt64
    ) throws(CodecError) -> StepEntry? {
        let count = try reader.readLength()
        var steps = StoredStepReader(through: last, moves: moves)
        guard count > 2 * upperCount else {
            var top: StepEntry?
            for _ in 0..<count { top = try steps.readEntry(&reader, on: top) }
            return top
        }
        let start = reader.position
        var lowest: TransactionID = 0
        // In front of the last step that is to stay in one piece.
        var cut = (index: 0, reader: reader, steps: steps)
        for index in 0..<count {
            let before = (index, reader, steps)
            let joins = try steps.skipEntry(&reader)
            if index == 0 { lowest = steps.transaction }
            if !joins, index <= count - upperCount { cut = before }
        }
        let stored: StoredSteps? =
            cut.index == 0
            ? nil
            : StoredSteps(
                reader.slice(from: start, to: cut.reader.position), count: cut.index,
                lowest: lowest, moves: moves)
        return try cut.steps.readUpper(&cut.reader, count - cut.index, on: stored)
    }

    private mutating func readUpper(
        _ reader: inout ByteReader, _ count: Int, on stored: StoredSteps?
    ) throws(CodecError) -> StepEntry? {
        var top: StepEntry?
        for index in 0..<count {
            top = try readEntry(&reader, on: top, above: index == 0 ? stored : nil)
        }
        return top
    }
}

extension ByteReader {
    /// Passes over a text; bytes that are not UTF-8 are refused.
    fileprivate mutating func skipText() throws(CodecError) {
        var text = self
        if ByteReader.isASCII(try readLengthPrefixed()) { return }
        _ = try text.readText()
    }
}
