/// The type of a stored value, as the log describes it: enough to read the value without the app.
public indirect enum StoredType: Sendable, Hashable {
    /// `Bool`: one byte.
    case bool
    /// A signed integer. `Int` is an `int64`.
    case int8, int16, int32, int64
    /// An unsigned integer. `UInt` is a `uint64`.
    case uint8, uint16, uint32, uint64
    /// A floating-point number, bit for bit.
    case float, double
    /// A text, bytes, a moment, a UUID, a URL, a decimal number.
    case string, data, date, uuid, url, decimal
    /// The digest, size and kind of a content that is a file beside the log: an ``Asset``.
    case asset
    /// Nothing, or a value of the type.
    case optional(StoredType)
    /// A list of values of the type.
    case array(StoredType)
    /// Written in ascending order of the elements' bytes.
    case set(StoredType)
    /// Written in ascending order of the keys' bytes.
    case dictionary(StoredType, StoredType)
    /// Fields one after the other.
    case structure(String, [Field])
    /// The index of the case, then its payload.
    case enumeration(String, [Case])
    /// A `RawRepresentable` type, written as its raw value.
    case raw(String, StoredType)
    /// A `LosslessStringConvertible` type, written as its description. For ids only.
    case text(String)
    /// A `Codable` type, written as JSON.
    case json(String)

    /// A named member of a structure, or of the payload of an enumeration's case (where the name
    /// is the label, empty if there is none).
    public struct Field: Sendable, Hashable {
        /// The name of the member.
        public let name: String
        /// The type of the member.
        public let type: StoredType
        /// The value that the member has where an earlier definition of the structure lacks it. No part of what the
        /// type is: two members that differ in this alone are equal.
        package let fill: MemberFill?

        /// A member of this name and type.
        public init(_ name: String, _ type: StoredType) {
            self.init(name, type, fill: nil)
        }

        /// A member of a structure with the value that it has where an earlier version of the type lacks it.
        ///
        /// - Parameter fill: stores exactly one value of the type. There is none where it throws, where that value
        ///   names an asset, and where it has more than 1,024 bytes.
        public init(
            _ name: String, _ type: StoredType,
            fill: (inout ByteWriter) throws(CodecError) -> Void
        ) {
            var writer = ByteWriter()
            let isStored = (try? fill(&writer)) != nil
            self.init(
                name, type, fill: isStored ? .declared(writer.copyBytes(), of: type) : nil)
        }

        init(_ name: String, _ type: StoredType, fill: MemberFill?) {
            self.name = name
            self.type = type
            self.fill = fill
        }

        public static func == (first: Field, second: Field) -> Bool {
            first.name == second.name && first.type == second.type
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(type)
        }
    }

    /// A case of an enumeration.
    public struct Case: Sendable, Hashable {
        /// The name of the case.
        public let name: String
        /// The associated values of the case.
        public let payload: [Field]

        /// A case of this name with these associated values.
        public init(_ name: String, _ payload: [Field] = []) {
            self.name = name
            // A payload that gets another member is another payload.
            self.payload = payload.map { Field($0.name, $0.type) }
        }
    }

    /// Whether the same bytes are read as the same value each time. The initializer of a `Codable` type may well ask the
    /// clock for what is missing; ``Storable`` forbids that, also to raw values.
    package var isReadAlike: Bool {
        consists(of: { type in
            switch type {
            case .text, .json: false
            default: true
            }
        })
    }

    /// Whether what is read is also equal to what was written: a URL with a base becomes an absolute one, which is
    /// another value.
    package var isReadAsWritten: Bool {
        isReadAlike && consists(of: { $0 != .url })
    }

    /// Whether values name assets. What is stored as JSON never does.
    package var holdsAssets: Bool { !consists(of: { $0 != .asset }) }

    /// Whether a condition holds for all types of which this one is made.
    private func consists(of condition: (StoredType) -> Bool) -> Bool {
        switch self {
        case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float,
            .double, .string, .data, .date, .uuid, .url, .decimal, .asset, .text, .json:
            condition(self)
        case .optional(let type), .array(let type), .set(let type), .raw(_, let type):
            type.consists(of: condition)
        case .dictionary(let key, let value):
            key.consists(of: condition) && value.consists(of: condition)
        case .structure(_, let fields): fields.allSatisfy { $0.type.consists(of: condition) }
        case .enumeration(_, let cases):
            cases.allSatisfy { $0.payload.allSatisfy { $0.type.consists(of: condition) } }
        }
    }

    /// How deep types and JSON documents may nest: small thread stacks overflow not far above.
    public static let nestingLimit = 64
}

extension StoredType: CustomStringConvertible {
    /// The type, as Swift spells it.
    public var description: String {
        switch self {
        case .bool: "Bool"
        case .int8: "Int8"
        case .int16: "Int16"
        case .int32: "Int32"
        case .int64: "Int64"
        case .uint8: "UInt8"
        case .uint16: "UInt16"
        case .uint32: "UInt32"
        case .uint64: "UInt64"
        case .float: "Float"
        case .double: "Double"
        case .string: "String"
        case .data: "Data"
        case .date: "Date"
        case .uuid: "UUID"
        case .url: "URL"
        case .decimal: "Decimal"
        case .asset: "Asset"
        case .optional(let wrapped): "\(wrapped)?"
        case .array(let element): "[\(element)]"
        case .set(let element): "Set<\(element)>"
        case .dictionary(let key, let value): "[\(key): \(value)]"
        case .structure(let name, _), .enumeration(let name, _): name
        case .raw(let name, let raw): "\(name)(\(raw))"
        case .text(let name): "\(name)(text)"
        case .json(let name): "\(name)(JSON)"
        }
    }
}
