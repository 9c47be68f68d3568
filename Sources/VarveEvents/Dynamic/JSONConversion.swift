import Foundation

/// JSON documents to and from structured values, in the form that the compiler's own `Codable`
/// gives them, so that a type may move between the rungs.
enum JSONConversion {
    /// - Parameter budget: for the members that the document lacks. Optional ones are nil then: so `Codable` writes nil.
    static func decode(
        _ document: [UInt8], as type: StoredType, _ budget: FillBudget
    ) throws(CodecError) -> StoredContent {
        do {
            try JSONForm.checkNesting(of: document)
            let decoder = JSONForm.makeDecoder()
            decoder.userInfo[targetKey] = Target(type: type, budget: budget)
            return try decoder.decode(TypedValue.self, from: Data(document)).content
        } catch let error as CodecError {
            throw error
        } catch {
            throw .notTranscodable(
                from: .json("\(type)"), to: type, reason: String(describing: error))
        }
    }

    private struct Target: Sendable {
        let type: StoredType
        let budget: FillBudget
    }

    private static let targetKey = CodingUserInfoKey(rawValue: "varve.type")!

    private static func target(of decoder: any Decoder) -> Target {
        guard let target = decoder.userInfo[targetKey] as? Target else {
            preconditionFailure("The type travels with the decoder")
        }
        return target
    }

    private struct TypedValue: Decodable {
        let content: StoredContent

        init(from decoder: any Decoder) throws {
            content = try JSONConversion.content(of: target(of: decoder).type, from: decoder)
        }
    }

    private static func content(
        of type: StoredType, from decoder: any Decoder
    ) throws -> StoredContent {
        switch type {
        case .optional(let wrapped):
            if try decoder.singleValueContainer().decodeNil() { return .optional(nil) }
            return .optional(try content(of: wrapped, from: decoder))
        case .raw(_, let raw): return try content(of: raw, from: decoder)
        case .array(let element): return .array(try elements(of: element, from: decoder))
        case .set(let element): return .set(try elements(of: element, from: decoder))
        case .dictionary(let key, let value):
            return .dictionary(try entries(of: key, value, from: decoder))
        case .structure(_, let fields):
            let container = try decoder.container(keyedBy: NameKey.self)
            return .structure(try members(fields, from: container, decoder))
        case .enumeration(let name, let cases):
            return try enumeration(name, cases, from: decoder)
        default: return try scalar(type, from: try decoder.singleValueContainer())
        }
    }

    private static func scalar(
        _ type: StoredType, from container: any SingleValueDecodingContainer
    ) throws -> StoredContent {
        switch type {
        case .bool: .bool(try container.decode(Bool.self))
        case .int8: .signed(Int64(try container.decode(Int8.self)))
        case .int16: .signed(Int64(try container.decode(Int16.self)))
        case .int32: .signed(Int64(try container.decode(Int32.self)))
        case .int64: .signed(try container.decode(Int64.self))
        case .uint8: .unsigned(UInt64(try container.decode(UInt8.self)))
        case .uint16: .unsigned(UInt64(try container.decode(UInt16.self)))
        case .uint32: .unsigned(UInt64(try container.decode(UInt32.self)))
        case .uint64: .unsigned(try container.decode(UInt64.self))
        case .float: .float(try container.decode(Float.self))
        case .double: .double(try container.decode(Double.self))
        case .date: .date(try container.decode(Date.self).timeIntervalSinceReferenceDate)
        case .data: .data([UInt8](try container.decode(Data.self)))
        case .uuid: .uuid(try container.decode(UUID.self))
        case .url: .url(try container.decode(URL.self).absoluteString)
        case .decimal: .decimal(try container.decode(Decimal.self).description)
        default: .string(try container.decode(String.self))
        }
    }

    private static func elements(
        of type: StoredType, from decoder: any Decoder
    ) throws -> [StoredContent] {
        var container = try decoder.unkeyedContainer()
        var elements: [StoredContent] = []
        while !container.isAtEnd {
            elements.append(try content(of: type, from: try container.superDecoder()))
        }
        return elements
    }

    /// An object where keys are texts or integers, else keys and values in turn.
    private static func entries(
        of key: StoredType, _ value: StoredType, from decoder: any Decoder
    ) throws -> [StoredContent.Entry] {
        var entries: [StoredContent.Entry] = []
        guard key == .string || key == .int64 else {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd {
                entries.append(
                    StoredContent.Entry(
                        key: try content(of: key, from: try container.superDecoder()),
                        value: try content(of: value, from: try container.superDecoder())))
            }
            return entries
        }
        let container = try decoder.container(keyedBy: NameKey.self)
        for name in container.allKeys {
            let loaded: StoredContent
            if key == .string {
                loaded = .string(name.stringValue)
            } else if let number = Int64(name.stringValue) {
                loaded = .signed(number)
            } else {
                throw CodecError.invalidValue(offset: 0, typeName: "\(key)")
            }
            let element = try content(of: value, from: try container.superDecoder(forKey: name))
            entries.append(StoredContent.Entry(key: loaded, value: element))
        }
        return entries
    }

    private static func members(
        _ fields: [StoredType.Field], from container: KeyedDecodingContainer<NameKey>,
        _ decoder: any Decoder
    ) throws -> [StoredContent.Member] {
        try fields.enumerated().map { index, field in
            let key = NameKey(field.name.isEmpty ? "_\(index)" : field.name)
            if case .optional = field.type, !container.contains(key) {
                return StoredContent.Member(name: field.name, value: .optional(nil))
            }
            if let fill = field.fill, !container.contains(key) {
                let value = try target(of: decoder).budget.value(of: fill)
                return StoredContent.Member(name: field.name, value: value)
            }
            let member = try container.superDecoder(forKey: key)
            return StoredContent.Member(
                name: field.name, value: try content(of: field.type, from: member))
        }
    }

    private static func enumeration(
        _ name: String, _ cases: [StoredType.Case], from decoder: any Decoder
    ) throws -> StoredContent {
        let container = try decoder.container(keyedBy: NameKey.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1,
            let index = cases.firstIndex(where: { $0.name == key.stringValue })
        else { throw CodecError.invalidValue(offset: 0, typeName: name) }
        let payload = try container.nestedContainer(keyedBy: NameKey.self, forKey: key)
        return .enumeration(
            index: index, name: cases[index].name,
            payload: try members(cases[index].payload, from: payload, decoder))
    }

    struct NameKey: CodingKey {
        let stringValue: String
        var intValue: Int? { Int(stringValue) }

        init(_ name: String) { stringValue = name }

        init?(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { stringValue = String(intValue) }
    }
}

extension JSONConversion {
    /// A structured value as `Codable` would write it.
    struct Value: Encodable {
        let content: StoredContent

        init(_ content: StoredContent) { self.content = content }

        func encode(to encoder: any Encoder) throws {
            switch content {
            case .array(let values), .set(let values):
                var container = encoder.unkeyedContainer()
                for value in values { try container.encode(Value(value)) }
            case .dictionary(let entries): try Self.encode(entries, to: encoder)
            case .structure(let members):
                var container = encoder.container(keyedBy: NameKey.self)
                try Self.encode(members, to: &container)
            case .enumeration(_, let name, let payload):
                var container = encoder.container(keyedBy: NameKey.self)
                var nested = container.nestedContainer(
                    keyedBy: NameKey.self, forKey: NameKey(name))
                try Self.encode(payload, to: &nested)
            case .optional(let value?): try Value(value).encode(to: encoder)
            default: try encodeScalar(to: encoder)
            }
        }

        private func encodeScalar(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch content {
            case .bool(let value): try container.encode(value)
            case .signed(let value): try container.encode(value)
            case .unsigned(let value): try container.encode(value)
            case .float(let value): try container.encode(value)
            case .double(let value): try container.encode(value)
            case .string(let text), .url(let text): try container.encode(text)
            case .data(let bytes): try container.encode(Data(bytes))
            case .date(let seconds):
                try container.encode(Date(timeIntervalSinceReferenceDate: seconds))
            case .uuid(let value): try container.encode(value)
            case .decimal(let digits): try container.encode(Decimal(storedText: digits) ?? .nan)
            case .json(let document): try container.encode(Document(document))
            default: try container.encodeNil()
            }
        }

        private static func encode(
            _ members: [StoredContent.Member], to container: inout KeyedEncodingContainer<NameKey>
        ) throws {
            for (index, member) in members.enumerated() {
                if case .optional(nil) = member.value { continue }
                let name = member.name.isEmpty ? "_\(index)" : member.name
                try container.encode(Value(member.value), forKey: NameKey(name))
            }
        }

        private static func encode(
            _ entries: [StoredContent.Entry], to encoder: any Encoder
        ) throws {
            var names: [String] = []
            for entry in entries {
                if case .string(let text) = entry.key { names.append(text) }
                if case .signed(let number) = entry.key { names.append(String(number)) }
            }
            guard names.count == entries.count else {
                var container = encoder.unkeyedContainer()
                for entry in entries {
                    try container.encode(Value(entry.key))
                    try container.encode(Value(entry.value))
                }
                return
            }
            var container = encoder.container(keyedBy: NameKey.self)
            for (name, entry) in zip(names, entries) {
                try container.encode(Value(entry.value), forKey: NameKey(name))
            }
        }
    }

    /// A document inside another one.
    private enum Document: Codable {
        case null
        case bool(Bool)
        case signed(Int64)
        case unsigned(UInt64)
        case number(Double)
        case text(String)
        case array([Document])
        case object([String: Document])

        init(_ bytes: [UInt8]) throws {
            self = try JSONForm.decode(Data(bytes))
        }

        init(from decoder: any Decoder) throws {
            if let object = try? decoder.container(keyedBy: NameKey.self) {
                var members: [String: Document] = [:]
                for key in object.allKeys {
                    members[key.stringValue] = try object.decode(Document.self, forKey: key)
                }
                self = .object(members)
                return
            }
            if var array = try? decoder.unkeyedContainer() {
                var elements: [Document] = []
                while !array.isAtEnd { elements.append(try array.decode(Document.self)) }
                self = .array(elements)
                return
            }
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Int64.self) {
                self = .signed(value)
            } else if let value = try? container.decode(UInt64.self) {
                self = .unsigned(value)
            } else if let value = try? container.decode(String.self) {
                self = .text(value)
            } else {
                self = .number(try container.decode(Double.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .bool(let value): try container.encode(value)
            case .signed(let value): try container.encode(value)
            case .unsigned(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .text(let value): try container.encode(value)
            case .array(let values): try container.encode(values)
            case .object(let members): try container.encode(members)
            }
        }
    }
}
