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
    public static func same<ID>(_ first: ID, _ second: ID) -> Bool {
        if Ladder.sameBits(first, second) { return true }
        let codec = Ladder.codec(for: ID.self, isID: true)
        return codec.kind.isStored
            ? codec.same(first, second) : InMemoryID.areEqual(first, second)
    }
}

/// Ids without a stored form: `==` and `Hasher` decide, as long as the process lives.
///
/// The overloads that lead here are unconstrained, or they would be ambiguous beside those for
/// raw-value types; ids are `Hashable` all the same.
enum InMemoryID {
    static func areEqual<ID>(_ first: ID, _ second: ID) -> Bool {
        guard let hashable = ID.self as? any Hashable.Type else { return false }
        // `Opened` is `ID` under another static name, so the casts change nothing.
        func equal<Opened: Hashable>(_ type: Opened.Type) -> Bool {
            unsafeBitCast(first, to: Opened.self) == unsafeBitCast(second, to: Opened.self)
        }
        return equal(hashable)
    }

    static func hash<ID>(_ id: ID) -> UInt64 {
        guard let hashable = ID.self as? any Hashable.Type else { return 0 }
        func hash<Opened: Hashable>(_ type: Opened.Type) -> Int {
            var hasher = Hasher()
            hasher.combine(unsafeBitCast(id, to: Opened.self))
            return hasher.finalize()
        }
        return UInt64(bitPattern: Int64(hash(hashable)))
    }
}
