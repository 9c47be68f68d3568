/// Kind, storing, loading, comparing and hashing of entity ids, for generated code.
///
/// The ladder of ``_FieldCodec`` with one rung more: `LosslessStringConvertible` before `Codable`.
/// Equal ids are ids of equal bytes, and the hash is that of the bytes. An id without a stored
/// form serves in memory: `==` and `Hasher` decide.
public enum _IDCodec {
    // MARK: Kind

    public static func kind<Root, ID: Storable>(_ path: KeyPath<Root, ID>) -> FieldKind {
        .stored(ID.storedType, .storable)
    }

    @_disfavoredOverload
    public static func kind<Root, ID>(_ path: KeyPath<Root, ID>) -> FieldKind {
        Ladder.codec(for: ID.self, isID: true).kind
    }

    // MARK: Storing

    @inlinable
    public static func store<ID: Storable>(
        _ id: ID, into writer: inout ByteWriter
    ) throws(CodecError) {
        do throws(CodecError) {
            try id.store(into: &writer)
        } catch {
            throw error.naming("id")
        }
    }

    @_disfavoredOverload
    @inlinable
    public static func store<ID: RawRepresentable>(
        _ id: ID, into writer: inout ByteWriter
    ) throws(CodecError) where ID.RawValue: Storable {
        do throws(CodecError) {
            try RawValueForm.store(id, into: &writer)
        } catch {
            throw error.naming("id")
        }
    }

    @_disfavoredOverload
    public static func store<ID>(_ id: ID, into writer: inout ByteWriter) throws(CodecError) {
        do throws(CodecError) {
            try Ladder.codec(for: ID.self, isID: true).store(id, into: &writer)
        } catch {
            throw error.naming("id")
        }
    }

    // MARK: Loading

    @inlinable
    public static func load<ID: Storable>(from reader: inout ByteReader) throws(CodecError) -> ID {
        try ID.load(from: &reader)
    }

    @_disfavoredOverload
    @inlinable
    public static func load<ID: RawRepresentable>(
        from reader: inout ByteReader
    ) throws(CodecError) -> ID where ID.RawValue: Storable {
        try RawValueForm.load(from: &reader)
    }

    @_disfavoredOverload
    public static func load<ID>(from reader: inout ByteReader) throws(CodecError) -> ID {
        try Ladder.codec(for: ID.self, isID: true).load(from: &reader)
    }

    // MARK: Comparing

    @inlinable
    public static func same<ID: Storable>(_ first: ID, _ second: ID) -> Bool {
        ID.sameBytes(first, second)
    }

    @_disfavoredOverload
    @inlinable
    public static func same<ID: RawRepresentable>(_ first: ID, _ second: ID) -> Bool
    where ID.RawValue: Storable {
        RawValueForm.same(first, second)
    }

    @_disfavoredOverload
    public static func same<ID: Hashable>(_ first: ID, _ second: ID) -> Bool {
        let codec = Ladder.codec(for: ID.self, isID: true)
        return codec.kind.isStored
            ? Ladder.sameBits(first, second) || codec.same(first, second)
            : first == second
    }
}
