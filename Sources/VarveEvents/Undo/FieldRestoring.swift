/// Puts the old values of an update back into a row.
struct FieldRestoring {
    private let layout: LayoutCache.Entry
    private let knownFields: Int
    private let isExact: Bool
    private let isForced: Bool
    /// Fields whose value is neither the update's old one nor its new one.
    private(set) var differing: [String] = []
    /// Among these, long texts of which the log does not have the whole old value.
    private(set) var lost: [String] = []
    /// Fields that the app cannot change.
    private(set) var unknown: [String] = []
    private(set) var isChanged = false

    init(_ layout: LayoutCache.Entry, knownFields: Int, isExact: Bool, isForced: Bool) {
        self.layout = layout
        self.knownFields = knownFields
        self.isExact = isExact
        self.isForced = isForced
    }

    /// Appends the restored row to `writer`.
    mutating func run(
        _ changes: FieldChangeSequence, from row: UnsafeRawBufferPointer,
        into writer: inout ByteWriter
    ) throws(CodecError) {
        var byPosition: [Int: FieldChangeSequence.Change] = [:]
        for (position, change) in changes {
            guard let position = layout.position(ofSource: position) else { continue }
            byPosition[position] = change
        }
        var reader = ByteReader(row)
        for position in 0..<layout.target.fieldCount {
            let start = reader.position
            try layout.target.skip(position, in: &reader)
            let now = reader.slice(from: start, to: reader.position)
            guard let change = byPosition[position] else {
                writer.write(now)
                continue
            }
            try restore(change, at: position, now: now, into: &writer)
        }
        try reader.expectEnd()
    }

    private mutating func restore(
        _ change: FieldChangeSequence.Change, at position: Int, now: UnsafeRawBufferPointer,
        into writer: inout ByteWriter
    ) throws(CodecError) {
        let name = layout.target.definition.fields[position].name
        guard isExact || position < knownFields else {
            unknown.append(name)
            return writer.write(now)
        }
        switch change {
        case .splice(let splice):
            if layout.transcoder(ofTarget: position)?.isIdentity == true,
                splice.applyInverse(to: now, into: &writer)
            {
                isChanged = true
                return
            }
            // Where the old value stands already, nothing is to be done.
            var scratch = ByteWriter()
            if !splice.apply(to: now, into: &scratch) {
                differing.append(name)
                lost.append(name)
            }
            writer.write(now)
        case .values(let old, let new):
            let old = try transcoded(old, at: position)
            let new = try transcoded(new, at: position)
            if isSame(now, new) {
                isChanged = true
                return writer.write(old)
            }
            if !isSame(now, old) {
                differing.append(name)
                if isForced {
                    isChanged = true
                    return writer.write(old)
                }
            }
            writer.write(now)
        }
    }

    private func isSame(_ bytes: UnsafeRawBufferPointer, _ other: [UInt8]) -> Bool {
        other.withUnsafeBytes { bytes.hasSameBytes(as: $0) }
    }

    private func transcoded(
        _ value: UnsafeRawBufferPointer, at position: Int
    ) throws(CodecError) -> [UInt8] {
        guard let transcoder = layout.transcoder(ofTarget: position), !transcoder.isIdentity
        else { return [UInt8](value) }
        return try transcoder.transcode([UInt8](value))
    }
}
