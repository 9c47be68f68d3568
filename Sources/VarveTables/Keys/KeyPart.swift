package import VarveEvents

/// Turns stored values of one type into key bytes, whose order is the order of the values.
///
/// Where `a` comes before `b`, the key of `a` is not greater; where the keys differ, neither are the
/// values equal. Equal keys mean equal values, unless they are inexact: the row then decides.
///
/// A key delimits itself, so a key of several parts is one part behind the other. The types are a
/// closed list: integers, floating-point numbers, `Bool`, `String`, `Date`, `UUID`, `Decimal`, and
/// optionals of these. A type of the application's own has an order of its own; the keys of one that is
/// stored as its raw value are those of that value, in whose order its values need not be.
package struct KeyPart: Sendable {
    indirect enum Form: Sendable {
        case bool, uuid, text, decimal
        case int8, uint8, signed, unsigned
        case float, double
        /// nil comes first.
        case optional(Form)
    }

    private let form: Form
    let isDescending: Bool

    /// Nil for a type outside of the list.
    package init?(_ type: StoredType, isDescending: Bool = false) {
        guard let form = Self.form(of: type) else { return nil }
        self.form = form
        self.isDescending = isDescending
    }

    private static func form(of type: StoredType) -> Form? {
        switch type {
        case .bool: .bool
        case .int8: .int8
        case .uint8: .uint8
        case .int16, .int32, .int64: .signed
        case .uint16, .uint32, .uint64: .unsigned
        case .float: .float
        case .double, .date: .double
        case .string: .text
        case .uuid: .uuid
        case .decimal: .decimal
        case .optional(let wrapped): form(of: wrapped).map { .optional($0) }
        case .raw(_, let value): form(of: value)
        case .data, .url, .asset, .array, .set, .dictionary, .structure, .enumeration, .text, .json:
            nil
        }
    }

    /// Whether keys depend on how texts are composed.
    var isOfText: Bool { Self.isOfText(form) }

    private static func isOfText(_ form: Form) -> Bool {
        switch form {
        case .text: true
        case .optional(let wrapped): isOfText(wrapped)
        default: false
        }
    }

    /// No key is longer.
    package var byteCountMax: Int { Self.byteCountMax(form) }

    private static func byteCountMax(_ form: Form) -> Int {
        switch form {
        case .bool, .int8, .uint8: 1
        case .float: 4
        case .double: 8
        case .signed, .unsigned: KeyNumber.byteCountMax
        case .uuid: 16
        case .text: KeyText.byteCountMax + 1
        case .decimal: KeyDecimal.byteCountMax
        case .optional(let wrapped): 1 + byteCountMax(wrapped)
        }
    }

    /// Reads a value and appends its key. Returns whether the key is exact.
    ///
    /// - Throws: ``CodecError`` where the bytes are no value of the type.
    package func encode(
        _ value: inout ByteReader, into key: inout ByteWriter
    ) throws(CodecError) -> Bool {
        guard isDescending else { return try Self.encode(form, &value, into: &key) }
        var ascending = ByteWriter()
        let isExact = try Self.encode(form, &value, into: &ascending)
        ascending.withBytes { bytes in for byte in bytes { key.append(~byte) } }
        return isExact
    }

    private static func encode(
        _ form: Form, _ value: inout ByteReader, into key: inout ByteWriter
    ) throws(CodecError) -> Bool {
        switch form {
        case .bool, .uint8: key.append(try value.readByte())
        case .int8: key.append(try value.readByte() ^ 0x80)
        case .signed: KeyNumber.write(try value.readSigned(), into: &key)
        case .unsigned: KeyNumber.write(unsigned: try value.readVarint(), into: &key)
        case .float:
            KeyNumber.write(
                Float(bitPattern: try value.readLittleEndian()), into: &key)
        case .double:
            KeyNumber.write(
                Double(bitPattern: try value.readLittleEndian()), into: &key)
        case .uuid: key.write(try value.readBytes(16))
        case .text: return KeyText.write(try value.readLengthPrefixed(), into: &key)
        case .decimal:
            let offset = value.position
            return try KeyDecimal.write(
                try value.readLengthPrefixed(), at: offset, into: &key)
        case .optional(let wrapped):
            let offset = value.position
            switch try value.readByte() {
            case 0: key.append(0)
            case 1:
                key.append(1)
                return try encode(wrapped, &value, into: &key)
            case let tag:
                throw .invalidTag(offset: offset, found: UInt64(tag), typeName: "Optional")
            }
        }
        return true
    }
}
