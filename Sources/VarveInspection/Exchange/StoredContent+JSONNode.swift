internal import Foundation

extension StoredContent {
    /// A JSON value as one of a type; the opposite of ``writeJSON(into:exactly:)``.
    init(_ node: JSONNode, as type: StoredType) throws(ExchangeProblem) {
        switch type {
        case .raw(_, let raw): self = try StoredContent(node, as: raw)
        case .json: self = .json(Array(node.json.utf8))
        case .optional(let wrapped):
            self = .optional(node.isNull ? nil : try StoredContent(node, as: wrapped))
        case .array(let element): self = .array(try Self.elements(node, as: element))
        case .set(let element): self = .set(try Self.elements(node, as: element))
        case .dictionary(let key, let value):
            self = .dictionary(try Self.entries(node, as: key, value))
        case .structure(_, let fields): self = .structure(try Self.members(node, as: fields))
        case .asset: self = try Self.asset(node)
        case .enumeration(_, let cases): self = try Self.case(node, among: cases)
        default: self = try Self.scalar(node, as: type)
        }
    }

    private static func wrong(_ node: JSONNode, _ type: StoredType) -> ExchangeProblem {
        let shown =
            switch node.content {
            case .text(let text): "'" + String(text.prefix(40)) + "'"
            case .number(let digits): digits
            case .bool(let value): "\(value)"
            default: node.kind
            }
        return ExchangeProblem("\(shown) is no \(type)", at: node.place.lowerBound)
    }

    // MARK: Scalars

    private static func scalar(
        _ node: JSONNode, as type: StoredType
    ) throws(ExchangeProblem) -> StoredContent {
        let content: StoredContent? =
            switch node.content {
            case .bool(let value): type == .bool ? .bool(value) : nil
            case .number(let digits): number(digits, as: type)
            case .text(let text): StoredContent(text: text, as: type)
            default: nil
            }
        guard let content else { throw wrong(node, type) }
        return content
    }

    private static func number(_ digits: String, as type: StoredType) -> StoredContent? {
        switch type {
        case .int8: Int8(digits).map { .signed(Int64($0)) }
        case .int16: Int16(digits).map { .signed(Int64($0)) }
        case .int32: Int32(digits).map { .signed(Int64($0)) }
        case .int64: Int64(digits).map { .signed($0) }
        case .uint8: UInt8(digits).map { .unsigned(UInt64($0)) }
        case .uint16: UInt16(digits).map { .unsigned(UInt64($0)) }
        case .uint32: UInt32(digits).map { .unsigned(UInt64($0)) }
        case .uint64: UInt64(digits).map { .unsigned($0) }
        // What is too large becomes an infinity, which has a name of its own.
        case .float: Float(digits).flatMap { $0.isFinite ? .float($0) : nil }
        case .double: Double(digits).flatMap { $0.isFinite ? .double($0) : nil }
        case .date: Double(digits).flatMap { $0.isFinite ? .date($0) : nil }
        case .decimal:
            Decimal(string: digits, locale: Locale(identifier: "en_US_POSIX"))
                .flatMap { $0.isNaN ? nil : .decimal($0.description) }
        default: nil
        }
    }

    private static let named: [String: Double] = [
        "NaN": .nan, "Infinity": .infinity, "-Infinity": -.infinity,
    ]

    /// A text as a value of a type that JSON writes as one.
    init?(text: String, as type: StoredType) {
        switch type {
        case .string, .text: self = .string(text)
        case .url:
            guard let url = URL(string: text), url.absoluteString.utf8.elementsEqual(text.utf8)
            else { return nil }
            self = .url(text)
        case .uuid:
            guard let id = UUID(uuidString: text) else { return nil }
            self = .uuid(id)
        case .data:
            guard let bytes = Data(base64Encoded: text) else { return nil }
            self = .data([UInt8](bytes))
        case .date:
            guard let seconds = DateText(text)?.secondsSinceReference ?? Self.named[text] else {
                return nil
            }
            self = .date(seconds)
        case .double:
            guard let value = Self.named[text] else { return nil }
            self = .double(value)
        case .float:
            guard let value = Self.named[text] else { return nil }
            self = .float(Float(value))
        case .decimal where text == "NaN": self = .decimal(text)
        default: return nil
        }
    }

    // MARK: Containers

    private static func elements(
        _ node: JSONNode, as type: StoredType
    ) throws(ExchangeProblem) -> [StoredContent] {
        guard let nodes = node.elements else { throw wrong(node, .array(type)) }
        var elements: [StoredContent] = []
        for node in nodes { elements.append(try StoredContent(node, as: type)) }
        return elements
    }

    /// An object, or an array of pairs.
    private static func entries(
        _ node: JSONNode, as key: StoredType, _ value: StoredType
    ) throws(ExchangeProblem) -> [Entry] {
        var entries: [Entry] = []
        if let members = node.members {
            for member in members {
                let name = JSONNode(content: .text(member.key), place: member.value.place)
                entries.append(
                    Entry(
                        key: try StoredContent(name, as: key),
                        value: try StoredContent(member.value, as: value)))
            }
            return entries
        }
        guard let pairs = node.elements else { throw wrong(node, .dictionary(key, value)) }
        for pair in pairs {
            guard let parts = pair.elements, parts.count == 2 else {
                throw ExchangeProblem(
                    "expected a key and its value", at: pair.place.lowerBound)
            }
            entries.append(
                Entry(
                    key: try StoredContent(parts[0], as: key),
                    value: try StoredContent(parts[1], as: value)))
        }
        return entries
    }

    /// The members of a structure or of a case. An optional one may be left out.
    private static func members(
        _ node: JSONNode, as fields: [StoredType.Field]
    ) throws(ExchangeProblem) -> [Member] {
        guard let given = node.members else {
            throw ExchangeProblem(
                "expected an object, found \(node.kind)", at: node.place.lowerBound)
        }
        let names = fields.enumerated().map {
            $0.element.name.isEmpty ? "_\($0.offset)" : $0.element.name
        }
        for member in given where !names.contains(member.key) {
            throw ExchangeProblem(
                "there is no member '\(member.key)'", at: member.value.place.lowerBound)
        }
        var members: [Member] = []
        for (name, field) in zip(names, fields) {
            if let value = node[name] {
                members.append(
                    Member(name: field.name, value: try StoredContent(value, as: field.type)))
            } else if case .optional = field.type {
                members.append(Member(name: field.name, value: .optional(nil)))
            } else {
                throw ExchangeProblem("'\(name)' is missing", at: node.place.lowerBound)
            }
        }
        return members
    }

    private static func asset(_ node: JSONNode) throws(ExchangeProblem) -> StoredContent {
        let content = StoredContent.structure(try members(node, as: StoredType.assetFields))
        guard content.asset != nil else {
            throw ExchangeProblem(
                "'digest' of an asset has 64 hexadecimal digits in lower case",
                at: node.place.lowerBound)
        }
        return content
    }

    private static func `case`(
        _ node: JSONNode, among cases: [StoredType.Case]
    ) throws(ExchangeProblem) -> StoredContent {
        let name = node.text ?? node.members?.first?.key ?? ""
        let isFound = { (element: StoredType.Case) in
            element.name == name && element.payload.isEmpty == (node.text != nil)
        }
        guard let index = cases.firstIndex(where: isFound) else {
            throw ExchangeProblem(
                "no case '\(name)'; there is " + cases.map(\.name).joined(separator: ", "),
                at: node.place.lowerBound)
        }
        let payload = try node[name].map { payload throws(ExchangeProblem) in
            try members(payload, as: cases[index].payload)
        }
        return .enumeration(index: index, name: name, payload: payload ?? [])
    }
}
