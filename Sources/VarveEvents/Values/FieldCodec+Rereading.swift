// Values of bytes that were read before, or were written by the process itself, for generated code. An initializer that
// reads them cannot fail half way: a value that may be given up half made is copied as a whole when it is complete, and
// every reference in it counted twice.

extension _FieldCodec {
    @inlinable
    public static func loadAgain<Root, Value: Storable>(
        from reader: inout ByteReader, like property: (Root) -> Value
    ) -> Value {
        do throws(CodecError) {
            // The comparison of types folds away, the cast is from a type to itself.
            if Value.self == String.self {
                return unsafeBitCast(try reader.readTextAgain(), to: Value.self)
            }
            return try Value.load(from: &reader)
        } catch {
            cannotReadAgain(Root.self, error)
        }
    }

    @_disfavoredOverload
    @inlinable
    public static func loadAgain<Root, Value: RawRepresentable>(
        from reader: inout ByteReader, like property: (Root) -> Value
    ) -> Value where Value.RawValue: Storable {
        do throws(CodecError) {
            return try load(from: &reader)
        } catch {
            cannotReadAgain(Root.self, error)
        }
    }

    @_disfavoredOverload
    @inlinable
    public static func loadAgain<Root, Value>(
        from reader: inout ByteReader, like property: (Root) -> Value
    ) -> Value {
        do throws(CodecError) {
            return try load(from: &reader)
        } catch {
            cannotReadAgain(Root.self, error)
        }
    }

    /// - Parameter type: the entity's.
    @inline(never)
    public static func cannotReadAgain<Root>(_ type: Root.Type, _ error: CodecError) -> Never {
        preconditionFailure("a row of \(type) that cannot be read again: \(error)")
    }
}
