public import Foundation

/// How relations are written when an entity is encoded.
///
/// Set it as `JSONEncoder.relationEncodingStrategy`. Every relation is written under
/// its name, also where it says nothing, which is `null` with each strategy.
public enum RelationEncodingStrategy: Sendable, Hashable, CaseIterable {
    /// Entities as themselves, ids as `{"id": …}`. Neither a slice nor a fragment nor an explicit
    /// null can be recognised when it is read back.
    case plain
    /// `{"id": …}`, `{"object": …}`, `{"ids": […]}` or `{"objects": […]}`. Neither a slice nor a
    /// fragment can be recognised when it is read back.
    case keyedContainer
    /// As ``keyedContainer``, with slices as `{"slice_ids": […]}` and `{"slice": […]}`. A fragment
    /// cannot be recognised when it is read back.
    case explicitKeyedContainer
    /// As ``explicitKeyedContainer``, with fragments as `{"fragment": …}`, `{"fragments": […]}` and
    /// `{"slice_fragments": […]}`: reads back as it was, by
    /// ``RelationDecodingStrategy/explicitKeyedContainer``.
    case lossless

    /// The strategy of an encoder that was given none: ``plain``.
    public static var `default`: RelationEncodingStrategy { .plain }

    /// Under this key an encoder's `userInfo` holds its strategy.
    public static let userInfoKey = strategyKey(named: "RelationEncodingStrategy")
}

/// How relations are read when an entity is decoded: the forms to try, the most explicit first.
///
/// Set it as `JSONDecoder.relationDecodingStrategy`. Where no keyed form fits the
/// value, the plain one is tried in any case.
public struct RelationDecodingStrategy: OptionSet, Sendable, Hashable {
    /// A bit for each form.
    public let rawValue: Int

    /// The forms whose bits are set.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// What ``RelationEncodingStrategy/plain`` writes. Stated beside a keyed form, it also reads
    /// what has no form with keys at all: else that is taken for a relation that says nothing.
    public static let plain = RelationDecodingStrategy(rawValue: 1)
    /// What ``RelationEncodingStrategy/keyedContainer`` writes.
    public static let keyedContainer = RelationDecodingStrategy(rawValue: 2)
    /// What ``RelationEncodingStrategy/explicitKeyedContainer`` and
    /// ``RelationEncodingStrategy/lossless`` write.
    public static let explicitKeyedContainer = RelationDecodingStrategy(rawValue: 4)

    /// The strategy of a decoder that was given none: ``plain`` alone.
    public static let `default`: RelationDecodingStrategy = [.plain]

    /// Under this key a decoder's `userInfo` holds its strategy.
    public static let userInfoKey = strategyKey(named: "RelationDecodingStrategy")
}

private func strategyKey(named name: String) -> CodingUserInfoKey {
    guard let key = CodingUserInfoKey(rawValue: "VarveGraph." + name) else {
        preconditionFailure("a user info key is any text")
    }
    return key
}

extension Encoder {
    /// How relations are written.
    public var relationEncodingStrategy: RelationEncodingStrategy {
        userInfo[RelationEncodingStrategy.userInfoKey] as? RelationEncodingStrategy ?? .default
    }
}

extension Decoder {
    /// How relations are read.
    public var relationDecodingStrategy: RelationDecodingStrategy {
        userInfo[RelationDecodingStrategy.userInfoKey] as? RelationDecodingStrategy ?? .default
    }
}

extension JSONEncoder {
    /// How relations are written. Default: ``RelationEncodingStrategy/plain``.
    public var relationEncodingStrategy: RelationEncodingStrategy {
        get {
            userInfo[RelationEncodingStrategy.userInfoKey] as? RelationEncodingStrategy ?? .default
        }
        set { userInfo[RelationEncodingStrategy.userInfoKey] = newValue }
    }

    /// A new encoder that writes for people: on several lines, keys sorted, slashes as they are.
    public static var prettyPrinting: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

extension JSONDecoder {
    /// How relations are read. Default: ``RelationDecodingStrategy/plain``.
    public var relationDecodingStrategy: RelationDecodingStrategy {
        get {
            userInfo[RelationDecodingStrategy.userInfoKey] as? RelationDecodingStrategy ?? .default
        }
        set { userInfo[RelationDecodingStrategy.userInfoKey] = newValue }
    }
}

extension Encodable {
    /// The value as JSON text, or nil where it cannot be encoded.
    public func prettyDescription(with encoder: JSONEncoder = .prettyPrinting) -> String? {
        guard let data = try? encoder.encode(self) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}
