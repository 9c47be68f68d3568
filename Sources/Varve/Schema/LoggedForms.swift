internal import VarveEvents

/// The bytes in which the log holds values of one type that the app would write otherwise by now: JSON
/// that lacks a property which was added since, a raw value that stands for another one since.
///
/// Every event says what was there before, byte by byte, so the old form has to be known as long as
/// the value stands. For each entity, field and written form there is one logged form. Those that
/// stood there are found when rows are read; others come where an undo brings an old value back.
struct LoggedForms: Sendable {
    private struct Form: Sendable {
        let field: Int
        let written: [UInt8]
        let logged: [UInt8]
    }

    private let found: FoundForms?
    private var restored: [UInt32: [Form]] = [:]

    init() { found = nil }

    fileprivate init(_ found: FoundForms) { self.found = found }

    private func hasForms(of slot: UInt32) -> Bool {
        restored[slot] != nil || found?.range(of: slot) != nil
    }

    /// The form in which the log holds a value of an entity; nil where it is the written one.
    private func form(
        of field: Int, _ slot: UInt32, written: UnsafeRawBufferPointer
    ) -> [UInt8]? {
        let known = restored[slot]?.first { form in
            form.field == field && form.written.withUnsafeBytes { $0.hasSameBytes(as: written) }
        }
        return known?.logged ?? found?.form(of: field, slot, written: written)
    }

    /// Notes a form of a value that comes back. The entity has another value, or none, until then.
    mutating func restore(
        _ field: Int, of slot: UInt32, written: UnsafeRawBufferPointer,
        logged: UnsafeRawBufferPointer
    ) {
        let form = Form(field: field, written: [UInt8](written), logged: [UInt8](logged))
        restored[slot, default: []].removeAll {
            $0.field == field && $0.written == form.written
        }
        restored[slot, default: []].append(form)
    }

    /// Gives the values of an encoded row, which begins at `start` in a writer and goes to its end, the
    /// forms that they have in the log. O(log n) for entities that have none.
    func apply(
        to slot: UInt32, _ definition: TypeDefinition, in writer: inout ByteWriter,
        from start: Int
    ) throws(CodecError) {
        guard hasForms(of: slot) else { return }
        let row = writer.withBytes { [UInt8]($0[start...]) }
        writer.truncate(to: start)
        var failure: CodecError?
        row.withUnsafeBytes { row in
            do throws(CodecError) {
                var reader = ByteReader(row)
                for (index, field) in definition.fields.enumerated() where !reader.isAtEnd {
                    let value = try field.type.readSlice(&reader)
                    if let logged = self.form(of: index, slot, written: value) {
                        writer.write(logged)
                    } else {
                        writer.write(value)
                    }
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Gives the changed fields of an entity the forms that they have in the log.
    func apply(to slot: UInt32, _ changes: inout FieldChanges) {
        guard hasForms(of: slot) else { return }
        changes.replaceValues { form(of: $0, slot, written: $1) }
    }
}

/// The forms that stood in the log when the store was opened: never changed, so that copies of a state
/// share them.
private final class FoundForms: Sendable {
    /// Those who have any, ascending, each with where its forms begin in `bytes`.
    private let slots: [UInt32]
    private let starts: [Int]
    /// For each form: field, written bytes, logged bytes.
    private let bytes: [UInt8]

    init(_ search: borrowing LoggedFormSearch) {
        slots = search.slots
        starts = search.starts
        bytes = search.bytes.copyBytes()
    }

    func range(of slot: UInt32) -> Range<Int>? {
        var low = 0
        var high = slots.count
        while low < high {
            let middle = (low + high) / 2
            if slots[middle] < slot { low = middle + 1 } else { high = middle }
        }
        guard low < slots.count, slots[low] == slot else { return nil }
        return starts[low]..<(low + 1 < starts.count ? starts[low + 1] : bytes.count)
    }

    func form(of field: Int, _ slot: UInt32, written: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let range = range(of: slot) else { return nil }
        return bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[range]))
            // What this class has written can be read.
            while let number = try? reader.readVarint(),
                let known = try? reader.readLengthPrefixed(),
                let logged = try? reader.readLengthPrefixed()
            {
                if number == UInt64(field), known.hasSameBytes(as: written) {
                    return [UInt8](logged)
                }
            }
            return nil
        }
    }
}

/// Finds the forms while the rows of a type are read, in the order of their slots.
struct LoggedFormSearch: ~Copyable {
    /// Short values that are written as they are read, by their hashes: most types that are written as
    /// raw values have few of them.
    private struct SteadyValues {
        private static let limit = 1_024
        private static let lengthLimit = 64
        private var values: [UInt64: [UInt8]] = [:]

        func contains(_ value: UnsafeRawBufferPointer) -> Bool {
            guard value.count <= Self.lengthLimit, let known = values[KeyedHash.hash(value)]
            else { return false }
            return known.withUnsafeBytes { $0.hasSameBytes(as: value) }
        }

        mutating func insert(_ value: UnsafeRawBufferPointer) {
            guard value.count <= Self.lengthLimit, values.count < Self.limit else { return }
            values[KeyedHash.hash(value)] = [UInt8](value)
        }
    }

    private let layout: RowLayout
    /// The positions of fields whose values may have another form.
    private let fields: [Int]
    private var steady: [SteadyValues]
    private var written = ByteWriter(capacity: 512)
    fileprivate var slots: [UInt32] = []
    fileprivate var starts: [Int] = []
    fileprivate var bytes = ByteWriter()

    /// Nil where no value of the type can have another form.
    static func make(_ definition: TypeDefinition, knownFields: Int) -> LoggedFormSearch? {
        let fields = self.fields(of: definition, known: knownFields)
        guard !fields.isEmpty else { return nil }
        return LoggedFormSearch(definition, fields)
    }

    /// Whether there is anything to search for.
    static func isNeeded(_ definition: TypeDefinition, knownFields: Int) -> Bool {
        !fields(of: definition, known: knownFields).isEmpty
    }

    private static func fields(of definition: TypeDefinition, known: Int) -> [Int] {
        definition.fields.prefix(known).indices.filter {
            definition.fields[$0].type.mayBeReformed
        }
    }

    private init(_ definition: TypeDefinition, _ fields: [Int]) {
        self.fields = fields
        layout = RowLayout(definition)
        steady = Array(repeating: SteadyValues(), count: fields.count)
    }

    /// Compares a row with what `write` writes for it now.
    mutating func take(
        _ slot: UInt32, _ row: UnsafeRawBufferPointer,
        write: (inout ByteWriter) throws(CodecError) -> Void
    ) throws(CodecError) {
        guard try !isSteady(row) else { return }
        written.removeAll()
        // What cannot be written now cannot be written later either, and is refused then.
        guard (try? write(&written)) != nil, !written.isEmpty else { return }
        let now = written.copyBytes()
        var failure: CodecError?
        now.withUnsafeBytes { now in
            do throws(CodecError) {
                try compare(slot, row, now)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func isSteady(_ row: UnsafeRawBufferPointer) throws(CodecError) -> Bool {
        var reader = ByteReader(row)
        var next = 0
        for position in 0...fields[fields.count - 1] {
            let value = try layout.readSlice(position, &reader)
            guard position == fields[next] else { continue }
            guard steady[next].contains(value) else { return false }
            next += 1
        }
        return true
    }

    private mutating func compare(
        _ slot: UInt32, _ row: UnsafeRawBufferPointer, _ now: UnsafeRawBufferPointer
    ) throws(CodecError) {
        var reader = ByteReader(row)
        var nowReader = ByteReader(now)
        var next = 0
        for position in 0...fields[fields.count - 1] {
            let logged = try layout.readSlice(position, &reader)
            let written = try layout.readSlice(position, &nowReader)
            guard position == fields[next] else { continue }
            note(slot, next, written: written, logged: logged)
            next += 1
        }
    }

    private mutating func note(
        _ slot: UInt32, _ number: Int, written: UnsafeRawBufferPointer,
        logged: UnsafeRawBufferPointer
    ) {
        guard !written.hasSameBytes(as: logged) else { return steady[number].insert(logged) }
        if slots.last != slot {
            slots.append(slot)
            starts.append(bytes.count)
        }
        bytes.writeVarint(UInt64(fields[number]))
        bytes.writeLengthPrefixed(written)
        bytes.writeLengthPrefixed(logged)
    }

    /// Whether all values have the form that is written now, so far.
    var foundNone: Bool { slots.isEmpty }

    /// What was found; nil where all values have the form that is written now.
    borrowing func finish() -> LoggedForms? {
        slots.isEmpty ? nil : LoggedForms(FoundForms(self))
    }
}

extension RowLayout {
    fileprivate func readSlice(
        _ position: Int, _ reader: inout ByteReader
    ) throws(CodecError) -> UnsafeRawBufferPointer {
        let start = reader.position
        try skip(position, in: &reader)
        return reader.slice(from: start, to: reader.position)
    }
}
