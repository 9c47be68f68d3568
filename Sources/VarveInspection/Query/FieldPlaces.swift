internal import VarveTables

/// Where the fields of some rows of a batch begin. They are looked for field by field, of all rows together: loops over
/// bytes, where row by row takes calls and branches for each field.
///
/// Only rows whose bytes are at hand are among them. Belongs to one thread.
final class FieldPlaces {
    private let shapes: [FieldShape?]
    /// By field, as far as they were looked for.
    private var starts: [UnsafeMutablePointer<UnsafeRawPointer>] = []
    private var ends: UnsafeMutablePointer<UnsafeRawPointer>
    private(set) var count = 0
    private var knownCount = 0
    private var capacity = 512

    init(_ type: TypeDefinition) {
        shapes = type.fields.map { FieldShape($0.type) }
        ends = .allocate(capacity: capacity)
        starts = [.allocate(capacity: capacity)]
    }

    deinit {
        ends.deallocate()
        for memory in starts { memory.deallocate() }
    }

    /// Takes in those of some rows that have an address.
    func begin(_ batch: RowBatch, _ indices: UnsafeBufferPointer<Int32>) {
        reserve(indices.count)
        let (rows, first, ends) = (batch.rows, starts[0], ends)
        var count = 0
        for index in indices {
            let row = rows[Int(index)]
            guard let start = row.baseAddress else { continue }
            (first + count).initialize(to: start)
            (ends + count).initialize(to: start + row.count)
            count &+= 1
        }
        self.count = count
        knownCount = 1
    }

    private func reserve(_ count: Int) {
        guard count > capacity else { return }
        // By half: counts that rise slowly do not make it anew each time.
        capacity = max(count, capacity + capacity / 2)
        ends.deallocate()
        ends = .allocate(capacity: capacity)
        for memory in starts { memory.deallocate() }
        starts = [.allocate(capacity: capacity)]
    }

    /// Where the values of a field begin, and the rows end; nil where the bytes of a row are none of its type, or fields are
    /// in front that cannot be skipped so.
    func values(of field: Int) -> FieldValues? {
        while knownCount <= field {
            guard skip(knownCount - 1) else { return nil }
            knownCount += 1
        }
        return FieldValues(starts: starts[field], ends: ends, count: count)
    }

    private func skip(_ field: Int) -> Bool {
        guard let shape = shapes[field] else { return false }
        if starts.count == field + 1 { starts.append(.allocate(capacity: capacity)) }
        let (from, to) = (starts[field], starts[field + 1])
        // The shape is the same of all rows: each loop knows it.
        switch (shape.form, shape.isOptional) {
        case (.fixed, false) where shape.width == 8:
            return skip(from, to) { $1 - $0 >= 8 ? $0 + 8 : nil }
        case (.lengthPrefixed, false): return skip(from, to) { Self.skipText($0, $1, shape) }
        case (.varint, false):
            return skip(from, to) { start, end in
                RowVarint.read(start, end).map { start + $0.byteCount }
            }
        default: return skip(from, to) { shape.end(of: $0, $1) }
        }
    }

    @inline(__always)
    private func skip(
        _ from: UnsafeMutablePointer<UnsafeRawPointer>,
        _ to: UnsafeMutablePointer<UnsafeRawPointer>,
        _ end: (UnsafeRawPointer, UnsafeRawPointer) -> UnsafeRawPointer?
    ) -> Bool {
        let (ends, count) = (ends, count)
        for index in 0..<count {
            guard let next = end(from[index], ends[index]) else { return false }
            (to + index).initialize(to: next)
        }
        return true
    }

    @inline(__always)
    private static func skipText(
        _ start: UnsafeRawPointer, _ end: UnsafeRawPointer, _ shape: FieldShape
    ) -> UnsafeRawPointer? {
        guard start < end else { return nil }
        let length = Int(start.load(as: UInt8.self))
        // One byte of length, as most have.
        if length < 0x80 { return length < end - start ? start + (1 &+ length) : nil }
        return shape.end(of: start, end)
    }
}

/// The values of a field in some rows.
struct FieldValues {
    let starts: UnsafeMutablePointer<UnsafeRawPointer>
    /// Of the rows.
    let ends: UnsafeMutablePointer<UnsafeRawPointer>
    let count: Int

    func reader(_ index: Int) -> ByteReader {
        ByteReader(
            UnsafeRawBufferPointer(start: starts[index], count: ends[index] - starts[index]))
    }
}
