internal import Foundation

/// A property compared with a constant, by the bytes of the property.
// A class, so that a test that is part of another one is used without being copied.
final class FieldTest: Sendable {
    /// How the bytes say the value.
    private enum Form {
        case bool, byte, signedByte, signed, unsigned, float, double, date, text
    }

    private enum Constant {
        case null
        case bool(Bool)
        case integer(Int64)
        case number(Double)
        case date(Double)
        case text
    }

    let position: Int
    private let form: Form
    private let optionals: Int
    private let comparison: QueryComparison
    private let constant: Constant
    /// In ASCII, without a carriage return: so that comparing bytes is comparing characters. Empty of other constants.
    private let text: [UInt8]

    /// Nil where bytes do not tell, or where the evaluator has rules of its own.
    init?(
        _ position: Int, _ type: TypeDefinition, _ comparison: QueryComparison,
        _ content: StoredContent
    ) {
        let (fieldType, optionals) = type.fields[position].type.unwrapped
        guard let form = Self.form(fieldType), let constant = Self.constant(content),
            Self.fit(form, constant, comparison)
        else { return nil }
        self.position = position
        self.form = form
        self.optionals = optionals
        self.comparison = comparison
        self.constant = constant
        if case .text = constant, case .string(let content) = content {
            text = Array(content.utf8)
        } else {
            text = []
        }
    }

    private static func form(_ type: StoredType) -> Form? {
        switch type {
        case .bool: .bool
        case .int8: .signedByte
        case .uint8: .byte
        case .int16, .int32, .int64: .signed
        case .uint16, .uint32, .uint64: .unsigned
        case .float: .float
        case .double: .double
        case .date: .date
        case .string, .text: .text
        default: nil
        }
    }

    private static func constant(_ content: StoredContent) -> Constant? {
        switch content {
        case .optional(nil): .null
        case .bool(let value): .bool(value)
        case .signed(let value): .integer(value)
        case .unsigned(let value): Int64(exactly: value).map { .integer($0) }
        case .float(let value): .number(Double(value))
        case .double(let value): .number(value)
        case .date(let value): .date(value)
        case .string(let text):
            text.utf8.allSatisfy { $0 < 0x80 && $0 != 0x0D } ? .text : nil
        default: nil
        }
    }

    private static func fit(
        _ form: Form, _ constant: Constant, _ comparison: QueryComparison
    ) -> Bool {
        let isOfParts = [.contains, .startsWith, .endsWith].contains(comparison)
        return switch (form, constant) {
        case (.text, .text): true
        case (_, .null): !isOfParts
        case (.bool, .bool), (.date, .date): !isOfParts
        case (.bool, _), (.date, _), (.text, _): false
        case (_, .integer), (_, .number): !isOfParts
        default: false
        }
    }

    // MARK: Batches

    /// The integers that the property is to be among, or not among.
    struct IntegerBounds {
        var least = Int64.min
        var most = Int64.max
        var isOutside = false
    }

    /// Nil where the property is no signed integer that there always is, or is compared with none.
    var integerBounds: IntegerBounds? {
        guard optionals == 0, case .signed = form, case .integer(let value) = constant else {
            return nil
        }
        // What is below the least or above the greatest is nothing: outside of everything.
        return switch comparison {
        case .equal: IntegerBounds(least: value, most: value)
        case .notEqual: IntegerBounds(least: value, most: value, isOutside: true)
        case .less: IntegerBounds(least: value, isOutside: true)
        case .greaterOrEqual: IntegerBounds(least: value)
        case .greater: IntegerBounds(most: value, isOutside: true)
        case .lessOrEqual: IntegerBounds(most: value)
        case .contains, .startsWith, .endsWith: nil
        }
    }

    /// A text of up to eight bytes that the property is to be, or not to be.
    struct ShortText {
        /// The bytes, the last one highest.
        let word: UInt64
        let count: Int
        let isEqual: Bool
    }

    /// Nil where the property is no text that there always is, or is compared otherwise.
    var shortText: ShortText? {
        guard optionals == 0, case .text = constant, text.count <= 8,
            comparison == .equal || comparison == .notEqual
        else { return nil }
        let word = text.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        let unused = 64 - 8 * text.count
        return ShortText(
            word: text.isEmpty ? 0 : word << UInt64(unused), count: text.count,
            isEqual: comparison == .equal)
    }

    // MARK: Testing

    /// - Parameter reader: at the property.
    func holds(_ reader: inout ByteReader) throws(CodecError) -> Bool? {
        for _ in 0..<optionals where try reader.readByte() == 0 {
            // Null is equal to null alone.
            if case .null = constant { return comparison == .equal }
            return comparison == .notEqual
        }
        switch (form, constant) {
        case (_, .null): return comparison == .notEqual
        case (.text, .text): return holds(try reader.readLengthPrefixed())
        case (.bool, .bool(let value)):
            let own = try reader.readByte()
            return holds(Int(own) - (value ? 1 : 0))
        case (.date, .date(let value)):
            let own = try Double.load(from: &reader)
            // Where one is NaN, the order of dates is not that of their numbers.
            return own.isNaN || value.isNaN ? nil : holds(own < value ? -1 : own == value ? 0 : 1)
        case (.float, _): return holds(Double(try Float.load(from: &reader)))
        case (.double, _): return holds(try Double.load(from: &reader))
        case (.unsigned, _): return holds(unsigned: try reader.readVarint())
        case (.byte, _): return holds(unsigned: UInt64(try reader.readByte()))
        case (.signedByte, _): return holds(signed: Int64(try Int8.load(from: &reader)))
        default: return holds(signed: try reader.readSigned())
        }
    }

    private func holds(signed value: Int64) -> Bool {
        guard case .integer(let constant) = constant else { return holds(Double(value)) }
        return holds(value < constant ? -1 : value == constant ? 0 : 1)
    }

    private func holds(unsigned value: UInt64) -> Bool {
        guard case .integer(let constant) = constant else { return holds(Double(value)) }
        guard let unsigned = UInt64(exactly: constant) else { return holds(1) }
        return holds(value < unsigned ? -1 : value == unsigned ? 0 : 1)
    }

    private func holds(_ value: Double) -> Bool {
        let number: Double =
            switch constant {
            case .integer(let constant): Double(constant)
            case .number(let constant): constant
            default: .nan
            }
        // NaN is neither before nor behind a number.
        if value.isNaN || number.isNaN { return comparison == .notEqual }
        return holds(value < number ? -1 : value == number ? 0 : 1)
    }

    /// - Parameter order: below 0 where the property comes first.
    private func holds(_ order: Int) -> Bool {
        switch comparison {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        case .contains, .startsWith, .endsWith: false
        }
    }

    // MARK: Texts

    private func holds(_ own: UnsafeRawBufferPointer) -> Bool? {
        // Texts that are the same in bytes are the same, whatever is in them.
        if comparison == .equal, Self.areSame(own, text) { return true }
        guard Self.isPlain(own) else { return nil }
        switch comparison {
        case .equal: return false
        case .notEqual: return !Self.areSame(own, text)
        case .startsWith: return own.starts(with: text)
        case .endsWith: return own.suffix(text.count).elementsEqual(text)
        case .contains: return Self.contains(own, text)
        default: return holds(Self.order(own, text))
        }
    }

    private static func areSame(_ own: UnsafeRawBufferPointer, _ text: [UInt8]) -> Bool {
        own.count == text.count && order(own, text) == 0
    }

    /// Below 0 where the property comes first.
    private static func order(_ own: UnsafeRawBufferPointer, _ text: [UInt8]) -> Int {
        let order = text.withUnsafeBytes { bytes -> Int32 in
            guard let start = own.baseAddress, let other = bytes.baseAddress else { return 0 }
            return memcmp(start, other, min(own.count, bytes.count))
        }
        return order == 0 ? own.count - text.count : Int(order)
    }

    /// Whether all bytes are ASCII, and none is a carriage return: eight bytes at a time.
    private static func isPlain(_ own: UnsafeRawBufferPointer) -> Bool {
        var (offset, isPlain) = (0, true)
        while offset &+ 8 <= own.count {
            let word = own.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            isPlain = isPlain && isPlainWord(word)
            offset &+= 8
        }
        while offset < own.count {
            isPlain = isPlain && own[offset] < 0x80 && own[offset] != 0x0D
            offset &+= 1
        }
        return isPlain
    }

    static func isPlainWord(_ word: UInt64) -> Bool {
        let (ones, highs) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        // A byte that is a carriage return becomes zero, which the subtraction borrows from.
        let returns = word ^ (ones &* 0x0D)
        return (word | (returns &- ones) & ~returns) & highs == 0
    }

    private static func contains(_ own: UnsafeRawBufferPointer, _ text: [UInt8]) -> Bool {
        guard let first = text.first else { return true }
        var start = 0
        while own.count - start >= text.count {
            if own[start] == first,
                own[start..<start + text.count].elementsEqual(text)
            {
                return true
            }
            start += 1
        }
        return false
    }
}
