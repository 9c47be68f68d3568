import VarveEvents

/// A text condition as it is tested on the stored bytes of a row: making the row takes several times as long, and
/// of the candidates that an index names for a part of a word many are none.
@usableFromInline
struct PackedTextTest {
    /// Whether a row that passes meets the whole condition that the test was made for.
    @usableFromInline let isWhole: Bool
    private let test: TextTest
    private let texts: [StoredTextPlace]

    /// Nil where no text condition has to be met, or one on a text that is not stored as such. Of several the first
    /// one that can be is tested.
    ///
    /// Beside other conditions only a substring is looked for first: a regular expression may take longer than they
    /// and the row together.
    @usableFromInline
    init?(_ condition: RowCondition, among fields: [FieldDescription]) {
        switch condition.structure {
        case .text(let text): self.init(text, among: fields, isWhole: true)
        case .conjunction:
            for case .text(let text) in condition.conjuncts.lazy.map(\.structure) {
                guard case .pattern = text.test.kind,
                    let test = Self(text, among: fields, isWhole: false)
                else { continue }
                self = test
                return
            }
            return nil
        case .property, .disjunction, .negation, .opaque: return nil
        }
    }

    private init?(_ condition: TextCondition, among fields: [FieldDescription], isWhole: Bool) {
        texts = condition.fields.compactMap { StoredTextPlace(of: $0, among: fields) }
        guard texts.count == condition.fields.count else { return nil }
        test = condition.test
        self.isWhole = isWhole
    }

    /// Whether the row of which these are the bytes behind its id passes.
    @usableFromInline
    func isMet(by row: UnsafeRawBufferPointer) -> Bool {
        texts.contains { $0.text(in: row).map { test.isMet(byBytes: $0) } ?? false }
    }
}

/// The position of a text among the fields of a row.
private struct StoredTextPlace {
    let name: String
    let before: [StoredType]
    let isOptional: Bool

    init?(of text: TextField, among fields: [FieldDescription]) {
        guard let position = fields.firstIndex(where: text.isStored) else { return nil }
        name = fields[position].name
        before = fields[..<position].compactMap { $0.kind.storedType }
        isOptional = fields[position].kind.storedType == .optional(.string)
        // Of a field that has no stored form, nothing is in the bytes.
        guard before.count == position,
            isOptional || fields[position].kind.storedType == .string
        else { return nil }
    }

    func text(in row: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var reader = ByteReader(row)
        do throws(CodecError) {
            for type in before { try type.skip(&reader) }
            if isOptional, !(try reader.readOptionalTag()) { return nil }
            return try reader.readBytes(try reader.readLength())
        } catch {
            preconditionFailure("the text \(name) of a row cannot be read again: \(error)")
        }
    }
}

extension FieldKind {
    fileprivate var storedType: StoredType? {
        if case .stored(let type, _) = self { type } else { nil }
    }
}

extension TextTest {
    /// Whether a text whose bytes these are meets the test.
    fileprivate func isMet(byBytes text: UnsafeRawBufferPointer) -> Bool {
        guard case .pattern(let pattern) = kind else {
            return isMet(by: String(decoding: text, as: UTF8.self))
        }
        return pattern.isFound(inBytes: text.assumingMemoryBound(to: UInt8.self))
    }
}
