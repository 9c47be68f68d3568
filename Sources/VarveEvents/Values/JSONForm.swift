import Foundation

/// The JSON that `Codable` values are stored as: sorted keys, so that equal values have equal
/// bytes; dates as their exact number of seconds; non-finite numbers by name.
enum JSONForm {
    // Both are thread-safe as long as nobody changes their options, and nobody does.
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .deferredToDate
        encoder.userInfo[isStored] = true
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return encoder
    }()

    /// Is in the `userInfo` of an encoder whose output a store keeps.
    static let isStored = CodingUserInfoKey(rawValue: "varve.stored")!

    private static let decoder = makeDecoder()

    static func makeDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .deferredToDate
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return decoder
    }

    static func encode(_ value: some Encodable) throws(CodecError) -> Data {
        do {
            let bytes = try encoder.encode(value)
            try checkNesting(of: bytes)
            return bytes
        } catch let error as CodecError {
            throw error
        } catch {
            throw failure(error, in: type(of: value))
        }
    }

    static func decode<Value: Decodable>(_ bytes: Data) throws(CodecError) -> Value {
        do {
            try checkNesting(of: bytes)
            return try decoder.decode(Value.self, from: bytes)
        } catch let error as CodecError {
            throw error
        } catch {
            throw failure(error, in: Value.self)
        }
    }

    static func load<Value: Decodable>(from reader: inout ByteReader) throws(CodecError) -> Value {
        try decode(Data(try reader.readLengthPrefixed()))
    }

    private static func failure(_ error: any Error, in type: Any.Type) -> CodecError {
        .jsonFailed(
            property: "", typeName: String(describing: type), reason: String(describing: error))
    }

    /// Refuses documents nested deeper than the limit, before a recursive parser sees them.
    static func checkNesting(of bytes: some Sequence<UInt8>) throws(CodecError) {
        var depth = 0
        var offset = 0
        var isInText = false
        var isEscaped = false
        for byte in bytes {
            if isInText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isInText = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
                guard depth <= StoredType.nestingLimit else {
                    throw .nestingTooDeep(offset: offset, limit: StoredType.nestingLimit)
                }
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
            }
            offset += 1
        }
    }
}
