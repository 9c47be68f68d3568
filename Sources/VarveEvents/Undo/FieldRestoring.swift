/// Puts the old values of an update back into a row.
struct FieldRestoring {
    private let layout: LayoutCache.Entry
    private let knownFields: Int
    /// Whether fields that the app does not know are put back too.
    private let reachesUnknown: Bool
    private let isForced: Bool
    /// What became of the update's version of a field.
    private let standing: (FieldNumber) -> VersionStanding
    /// Fields of which the update's version is not the current one.
    private(set) var differing: [String] = []
    /// Among these, long texts of which the log does not have the whole old value.
    private(set) var lost: [String] = []
    /// Fields that the app cannot change.
    private(set) var unknown: [String] = []
    private(set) var isChanged = false

    init(
        _ layout: LayoutCache.Entry, knownFields: Int, reachesUnknown: Bool, isForced: Bool,
        standing: @escaping (FieldNumber) -> VersionStanding = { _ in .current }
    ) {
        self.layout = layout
        self.knownFields = knownFields
        self.reachesUnknown = reachesUnknown
        self.isForced = isForced
        self.standing = standing
    }

    /// Appends the restored row to `writer`.
    mutating func run(
        _ changes: FieldChangeSequence, from row: UnsafeRawBufferPointer,
        into writer: inout ByteWriter
    ) throws(CodecError) {
        var changes = changes
        if layout.conversion.isIdentity {
            // The changes come in the order of the row's fields.
            return try run({ changes.next() }, from: row, into: &writer)
        }
        var moved = changes.compactMap { position, change in
            layout.position(ofSource: position).map { (position: $0, change: change) }
        }.sorted { $0.position > $1.position }
        try run({ moved.popLast() }, from: row, into: &writer)
    }

    private mutating func run(
        _ nextChange: () -> (position: Int, change: FieldChangeSequence.Change)?,
        from row: UnsafeRawBufferPointer, into writer: inout ByteWriter
    ) throws(CodecError) {
        var reader = ByteReader(row)
        var next = nextChange()
        var copied = 0
        for position in 0..<layout.target.fieldCount {
            let start = reader.position
            try layout.target.skip(position, in: &reader)
            guard let (changed, change) = next, changed == position else { continue }
            writer.write(reader.slice(from: copied, to: start))
            copied = reader.position
            let now = reader.slice(from: start, to: copied)
            do throws(CodecError) {
                try restore(change, at: position, now: now, into: &writer)
            } catch .unreadableProperty(let name, let value, let reason) {
                throw .unreadableProperty(name, value: value, reason)
            } catch {
                var value: UnsafeRawBufferPointer?
                if case .values(let old, _) = change { value = old }
                throw unreadable(value, at: position, error)
            }
            next = nextChange()
        }
        writer.write(reader.slice(from: copied, to: reader.position))
        try reader.expectEnd()
    }

    private mutating func restore(
        _ change: FieldChangeSequence.Change, at position: Int, now: UnsafeRawBufferPointer,
        into writer: inout ByteWriter
    ) throws(CodecError) {
        guard reachesUnknown || position < knownFields else {
            unknown.append(name(of: position))
            return writer.write(now)
        }
        let standing = standing(layout.target.definition.fields[position].number)
        guard standing != .withdrawn else { return writer.write(now) }
        switch change {
        case .splice(let splice):
            try restore(splice, at: position, now: now, standing, into: &writer)
        case .values(let old, let new):
            guard !layout.isVerbatim(position) else {
                return try restore(
                    old, insteadOf: new, at: position, now: now, standing, into: &writer)
            }
            try transcoded(old, at: position).withReader { old throws(CodecError) in
                try transcoded(new, at: position).withReader { new throws(CodecError) in
                    try restore(
                        old.rest, insteadOf: new.rest, at: position, now: now, standing,
                        into: &writer)
                }
            }
        }
    }

    private mutating func restore(
        _ splice: Splice, at position: Int, now: UnsafeRawBufferPointer,
        _ standing: VersionStanding, into writer: inout ByteWriter
    ) throws(CodecError) {
        let isCurrent = standing == .current
        if isCurrent || isForced, let transcoder = layout.transcoder(ofTarget: position),
            try splice.apply(.toOld, to: now, through: transcoder, into: &writer)
        {
            if !isCurrent { differing.append(name(of: position)) }
            isChanged = true
            return
        }
        differing.append(name(of: position))
        lost.append(name(of: position))
        writer.write(now)
    }

    private mutating func restore(
        _ old: UnsafeRawBufferPointer, insteadOf new: UnsafeRawBufferPointer, at position: Int,
        now: UnsafeRawBufferPointer, _ standing: VersionStanding, into writer: inout ByteWriter
    ) throws(CodecError) {
        if standing != .current || !now.hasSameBytes(as: new) {
            differing.append(name(of: position))
            guard isForced else { return writer.write(now) }
        }
        // Of a change that is not replayed before it is reverted, nothing was checked.
        try layout.target.check(old, at: position)
        isChanged = true
        writer.write(old)
    }

    /// The error with the name of the property, and with the value of the transaction that it is about, in the form in
    /// which that was written.
    private func unreadable(
        _ value: UnsafeRawBufferPointer?, at position: Int, _ error: CodecError
    ) -> CodecError {
        let text = value.flatMap { layout.sourceType(ofTarget: position)?.text(of: $0) }
        return .unreadableProperty(name(of: position), value: text ?? "", error)
    }

    private func name(of position: Int) -> String {
        layout.target.definition.fields[position].name
    }

    private func transcoded(
        _ value: UnsafeRawBufferPointer, at position: Int
    ) throws(CodecError) -> [UInt8] {
        let bytes = [UInt8](value)
        do throws(CodecError) {
            return try layout.transcoder(ofTarget: position)?.transcode(bytes) ?? bytes
        } catch {
            throw unreadable(value, at: position, error)
        }
    }
}
