package import Foundation

/// What a stored value says.
package enum StoredContent: Sendable {
    case bool(Bool)
    /// Of any width.
    case signed(Int64)
    /// Of any width.
    case unsigned(UInt64)
    case float(Float)
    case double(Double)
    case string(String)
    case data([UInt8])
    /// Seconds since the reference date, 2001-01-01 UTC.
    case date(Double)
    case uuid(UUID)
    /// The absolute form.
    case url(String)
    /// The digits.
    case decimal(String)
    indirect case optional(StoredContent?)
    case array([StoredContent])
    case set([StoredContent])
    case dictionary([Entry])
    case structure([Member])
    case enumeration(index: Int, name: String, payload: [Member])
    /// The document as it is stored.
    case json([UInt8])

    package struct Entry: Sendable {
        package let key: StoredContent
        package let value: StoredContent

        package init(key: StoredContent, value: StoredContent) {
            self.key = key
            self.value = value
        }
    }

    package struct Member: Sendable {
        package let name: String
        package let value: StoredContent

        package init(name: String, value: StoredContent) {
            self.name = name
            self.value = value
        }
    }
}

extension StoredContent {
    /// Reads one value of `type`.
    package init(_ type: StoredType, from reader: inout ByteReader) throws(CodecError) {
        switch type {
        case .bool: self = .bool(try Bool.load(from: &reader))
        case .int8: self = .signed(Int64(try Int8.load(from: &reader)))
        case .int16: self = .signed(Int64(try Int16.load(from: &reader)))
        case .int32: self = .signed(Int64(try Int32.load(from: &reader)))
        case .int64: self = .signed(try reader.readSigned())
        case .uint8: self = .unsigned(UInt64(try reader.readByte()))
        case .uint16: self = .unsigned(UInt64(try UInt16.load(from: &reader)))
        case .uint32: self = .unsigned(UInt64(try UInt32.load(from: &reader)))
        case .uint64: self = .unsigned(try reader.readVarint())
        case .float: self = .float(try Float.load(from: &reader))
        case .double: self = .double(try Double.load(from: &reader))
        case .date: self = .date(try Double.load(from: &reader))
        case .uuid: self = .uuid(try UUID.load(from: &reader))
        case .string, .text: self = .string(try reader.readText())
        case .url: self = .url(try reader.readText())
        case .decimal: self = .decimal(try Decimal.load(from: &reader).description)
        case .data: self = .data([UInt8](try reader.readLengthPrefixed()))
        case .json: self = .json([UInt8](try reader.readLengthPrefixed()))
        case .asset: self = StoredContent(try AssetReference.load(from: &reader))
        case .raw(_, let raw): self = try StoredContent(raw, from: &reader)
        default: self = try Self.composite(type, from: &reader)
        }
    }

    private static func composite(
        _ type: StoredType, from reader: inout ByteReader
    ) throws(CodecError) -> StoredContent {
        switch type {
        case .optional(let wrapped):
            guard try reader.readOptionalTag() else { return .optional(nil) }
            return .optional(try StoredContent(wrapped, from: &reader))
        case .array(let element):
            return .array(
                try SequenceForm.load(from: &reader) { reader throws(CodecError) in
                    try StoredContent(element, from: &reader)
                })
        case .set(let element):
            var elements: [StoredContent] = []
            try SortedForm.load(
                from: &reader,
                key: { reader throws(CodecError) in
                    elements.append(try StoredContent(element, from: &reader))
                }, rest: { _ in })
            return .set(elements)
        case .dictionary(let key, let value):
            return .dictionary(try entries(key, value, from: &reader))
        case .enumeration(let name, let cases):
            let index = try reader.readCaseIndex(of: name, count: cases.count)
            let members = try members(cases[index].payload, from: &reader)
            return .enumeration(index: index, name: cases[index].name, payload: members)
        case .structure(_, let fields):
            return .structure(try members(fields, from: &reader))
        default:
            preconditionFailure("Scalars are read by the caller")
        }
    }

    private static func entries(
        _ key: StoredType, _ value: StoredType, from reader: inout ByteReader
    ) throws(CodecError) -> [Entry] {
        var entries: [Entry] = []
        var current: StoredContent?
        try SortedForm.load(
            from: &reader,
            key: { reader throws(CodecError) in current = try StoredContent(key, from: &reader) },
            rest: { reader throws(CodecError) in
                let loaded = try StoredContent(value, from: &reader)
                if let current { entries.append(Entry(key: current, value: loaded)) }
            })
        return entries
    }

    private static func members(
        _ fields: [StoredType.Field], from reader: inout ByteReader
    ) throws(CodecError) -> [Member] {
        var members: [Member] = []
        for field in fields {
            members.append(
                Member(name: field.name, value: try StoredContent(field.type, from: &reader)))
        }
        return members
    }
}

extension StoredContent {
    /// Appends the bytes of this content as a value of `type`, which must have its shape.
    package func store(
        as type: StoredType, into writer: inout ByteWriter
    ) throws(CodecError) {
        switch (type, self) {
        case (.raw(_, let raw), _): try store(as: raw, into: &writer)
        case (.bool, .bool(let value)): try value.store(into: &writer)
        case (.int8, .signed(let value)): writer.append(UInt8(truncatingIfNeeded: value))
        case (.int16, .signed(let value)), (.int32, .signed(let value)),
            (.int64, .signed(let value)):
            writer.writeSigned(value)
        case (.uint8, .unsigned(let value)): writer.append(UInt8(truncatingIfNeeded: value))
        case (.uint16, .unsigned(let value)), (.uint32, .unsigned(let value)),
            (.uint64, .unsigned(let value)):
            writer.writeVarint(value)
        case (.float, .float(let value)): try value.store(into: &writer)
        case (.double, .double(let value)), (.date, .date(let value)):
            try value.store(into: &writer)
        case (.uuid, .uuid(let value)): try value.store(into: &writer)
        case (.string, .string(let text)), (.text, .string(let text)), (.url, .url(let text)),
            (.decimal, .decimal(let text)):
            writer.writeText(text)
        case (.data, .data(let bytes)), (.json, .json(let bytes)):
            writer.writeCount(bytes.count)
            writer.write(bytes)
        default: try storeComposite(as: type, into: &writer)
        }
    }

    private func storeComposite(
        as type: StoredType, into writer: inout ByteWriter
    ) throws(CodecError) {
        switch (type, self) {
        case (.optional(let wrapped), .optional(let value)):
            guard let value else { return writer.append(0) }
            writer.append(1)
            try value.store(as: wrapped, into: &writer)
        case (.array(let element), .array(let values)):
            try SequenceForm.store(values, into: &writer) { value, writer throws(CodecError) in
                try value.store(as: element, into: &writer)
            }
        case (.set(let element), .set(let values)):
            try SortedForm.store(values, into: &writer) { value, writer throws(CodecError) in
                try value.store(as: element, into: &writer)
                return writer.count
            }
        case (.dictionary(let key, let element), .dictionary(let entries)):
            try SortedForm.store(entries, into: &writer) { entry, writer throws(CodecError) in
                try entry.key.store(as: key, into: &writer)
                let keyEnd = writer.count
                try entry.value.store(as: element, into: &writer)
                return keyEnd
            }
        case (.structure(_, let fields), .structure(let members)):
            try Self.store(members, as: fields, into: &writer)
        case (.asset, .structure):
            guard let asset else {
                throw .notTranscodable(from: type, to: type, reason: "it is no asset")
            }
            asset.store(into: &writer)
        case (.enumeration(_, let cases), .enumeration(let index, _, let members))
        where cases.indices.contains(index):
            writer.writeCount(index)
            try Self.store(members, as: cases[index].payload, into: &writer)
        default:
            throw .notTranscodable(from: type, to: type, reason: "the value has another shape")
        }
    }

    private static func store(
        _ members: [Member], as fields: [StoredType.Field], into writer: inout ByteWriter
    ) throws(CodecError) {
        for (member, field) in zip(members, fields) {
            try member.value.store(as: field.type, into: &writer)
        }
    }
}
