/// The fields that an update changes, with the bytes of their old and new values. Reusable.
public struct FieldChanges: ~Copyable, Sendable {
    @usableFromInline
    struct Change: Sendable {
        let index: Int
        let start: Int
        let middle: Int
        let end: Int

        @usableFromInline
        init(index: Int, start: Int, middle: Int, end: Int) {
            self.index = index
            self.start = start
            self.middle = middle
            self.end = end
        }
    }

    @usableFromInline var changes: [Change] = []
    @usableFromInline var bytes = ByteWriter(capacity: 256)

    /// No changes.
    public init() {}

    /// Whether no field changed.
    @inlinable public var isEmpty: Bool { changes.isEmpty }

    /// The number of fields that changed.
    @inlinable public var count: Int { changes.count }

    /// The bytes of all old and new values.
    package var byteCount: Int { bytes.count }

    /// Forgets all changes and keeps the memory for the next update.
    @inlinable
    public mutating func removeAll() {
        changes.removeAll(keepingCapacity: true)
        bytes.removeAll()
    }

    /// Notes a field whose old and new bytes the two closures write, unless they are the same.
    ///
    /// - Parameter index: the field's position in the row; positions must ascend.
    @inlinable
    package mutating func append(
        _ index: Int,
        old: (inout ByteWriter) throws(CodecError) -> Void,
        new: (inout ByteWriter) throws(CodecError) -> Void
    ) throws(CodecError) {
        let start = bytes.count
        do throws(CodecError) {
            try old(&bytes)
            let middle = bytes.count
            try new(&bytes)
            note(index, start: start, middle: middle)
        } catch {
            bytes.truncate(to: start)
            throw error
        }
    }

    /// Puts other bytes where `other` has some for a field's old or new value. A field whose values
    /// are the same then is not changed.
    package mutating func replaceValues(
        _ other: (Int, UnsafeRawBufferPointer) -> [UInt8]?
    ) {
        var replaced: [(index: Int, old: [UInt8], new: [UInt8])] = []
        forEach { index, old, new in
            replaced.append(
                (index, other(index, old) ?? [UInt8](old), other(index, new) ?? [UInt8](new)))
        }
        removeAll()
        for (index, old, new) in replaced {
            let start = bytes.count
            bytes.write(old)
            let middle = bytes.count
            bytes.write(new)
            note(index, start: start, middle: middle)
        }
    }

    @usableFromInline
    mutating func note(_ index: Int, start: Int, middle: Int) {
        precondition(changes.last.map { $0.index < index } ?? true, "Positions must ascend")
        let end = bytes.count
        let isSame = bytes.withBytes { bytes in
            UnsafeRawBufferPointer(rebasing: bytes[start..<middle])
                .hasSameBytes(as: UnsafeRawBufferPointer(rebasing: bytes[middle..<end]))
        }
        if isSame {
            bytes.truncate(to: start)
        } else {
            changes.append(Change(index: index, start: start, middle: middle, end: end))
        }
    }

    /// Calls `body` with each change in order of position: position, old bytes, new bytes. The
    /// buffers are valid during the call only.
    package borrowing func forEach<Failure: Error>(
        _ body: (Int, UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let changes = changes
        try bytes.withBytes { bytes throws(Failure) in
            for change in changes {
                try body(
                    change.index,
                    UnsafeRawBufferPointer(rebasing: bytes[change.start..<change.middle]),
                    UnsafeRawBufferPointer(rebasing: bytes[change.middle..<change.end]))
            }
        }
    }
}
