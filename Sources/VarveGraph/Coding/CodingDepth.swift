internal import CVarve

/// How deep loaded entities are encoded and decoded.
///
/// Coders recurse: `JSONEncoder` calls the entity, which calls the encoder for each entity that it holds. No list of
/// steps in between can change that, so that a value may be too deep for a thread's stack, which is 512 KiB on a
/// dispatch queue. That is an error then, and not the end of the program.
enum CodingDepth {
    /// How many bytes of stack are left to what coder and entities do for one level, and to what the coder does last.
    /// On a thread with less stack than this every entity that holds others, or that is read with ids of others, is
    /// too deep.
    private static var stackReserve: Int { 128 << 10 }

    private static var isExhausted: Bool { varve_stack_left() < stackReserve }

    static func check(_ encoder: any Encoder, _ value: Any) throws {
        guard isExhausted else { return }
        let path = encoder.codingPath
        throw EncodingError.invalidValue(
            value, .init(codingPath: path, debugDescription: reason("encoded", path)))
    }

    static func check(_ decoder: any Decoder) throws {
        guard isExhausted else { return }
        let path = decoder.codingPath
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: path, debugDescription: reason("decoded", path),
                underlyingError: StackExhausted()))
    }

    /// Whether an error says that the stack does not suffice, and nothing of the form of what was read.
    static func isCause(of error: any Error) -> Bool {
        guard case DecodingError.dataCorrupted(let context) = error else { return false }
        return context.underlyingError is StackExhausted
    }

    private struct StackExhausted: Error {}

    private static func reason(_ verb: String, _ path: [any CodingKey]) -> String {
        "entities inside one another, \(path.count) keys deep, are too many to be \(verb) on this thread's stack:"
            + " use a thread with a larger one, or relations by id"
    }
}
