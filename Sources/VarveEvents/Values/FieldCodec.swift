/// Kind, storing, loading and comparing of an entity's properties, for generated code.
///
/// A macro cannot see types, so it calls these and the compiler chooses: `Storable` types take
/// the plain overload and pay nothing; all others ask ``Ladder``, which looks at the type itself.
/// The raw-value overload is the same decision made cheaper for the commonest case.
public enum _FieldCodec {
    // MARK: Kind

    public static func kind<Root, Value: Storable>(_ path: KeyPath<Root, Value>) -> FieldKind {
        kind(Value.self)
    }

    @_disfavoredOverload
    public static func kind<Root, Value>(_ path: KeyPath<Root, Value>) -> FieldKind {
        Ladder.codec(for: Value.self, isID: false).kind
    }

    public static func kind<Value: Storable>(_ type: Value.Type) -> FieldKind {
        .stored(Value.storedType, .storable)
    }

    @_disfavoredOverload
    public static func kind<Value>(_ type: Value.Type) -> FieldKind {
        Ladder.codec(for: type, isID: false).kind
    }

    /// The optional that an implicitly unwrapped property is.
    @inlinable
    public static func optional<Value>(_ value: Value?) -> Value? { value }

    // MARK: Storing

    @inlinable
    public static func store<Value: Storable>(
        _ value: Value, _ name: StaticString, into writer: inout ByteWriter
    ) throws(CodecError) {
        do throws(CodecError) {
            try value.store(into: &writer)
        } catch {
            throw error.naming("\(name)")
        }
    }

    @_disfavoredOverload
    @inlinable
    public static func store<Value: RawRepresentable>(
        _ value: Value, _ name: StaticString, into writer: inout ByteWriter
    ) throws(CodecError) where Value.RawValue: Storable {
        do throws(CodecError) {
            try RawValueForm.store(value, into: &writer)
        } catch {
            throw error.naming("\(name)")
        }
    }

    @_disfavoredOverload
    public static func store<Value>(
        _ value: Value, _ name: StaticString, into writer: inout ByteWriter
    ) throws(CodecError) {
        do throws(CodecError) {
            try Ladder.codec(for: Value.self, isID: false).store(value, into: &writer)
        } catch {
            throw error.naming("\(name)")
        }
    }

    // MARK: Loading

    @inlinable
    public static func load<Value: Storable>(
        from reader: inout ByteReader
    ) throws(CodecError) -> Value {
        try Value.load(from: &reader)
    }

    @_disfavoredOverload
    @inlinable
    public static func load<Value: RawRepresentable>(
        from reader: inout ByteReader
    ) throws(CodecError) -> Value where Value.RawValue: Storable {
        try RawValueForm.load(from: &reader)
    }

    @_disfavoredOverload
    public static func load<Value>(from reader: inout ByteReader) throws(CodecError) -> Value {
        try Ladder.codec(for: Value.self, isID: false).load(from: &reader)
    }

    // Of the type that a property has. The closure only says which, and is never called: spelled out, the name of
    // the type need not mean the same where generated code stands.

    @inlinable
    public static func load<Root, Value: Storable>(
        from reader: inout ByteReader, like property: (Root) -> Value
    ) throws(CodecError) -> Value {
        try load(from: &reader)
    }

    @_disfavoredOverload
    @inlinable
    public static func load<Root, Value: RawRepresentable>(
        from reader: inout ByteReader, like property: (Root) -> Value
    ) throws(CodecError) -> Value where Value.RawValue: Storable {
        try load(from: &reader)
    }

    @_disfavoredOverload
    @inlinable
    public static func load<Root, Value>(
        from reader: inout ByteReader, like property: (Root) -> Value
    ) throws(CodecError) -> Value {
        try load(from: &reader)
    }

    // MARK: Comparing

    @inlinable
    public static func same<Value: Storable>(_ first: Value, _ second: Value) -> Bool {
        Value.sameBytes(first, second)
    }

    @_disfavoredOverload
    @inlinable
    public static func same<Value: RawRepresentable>(_ first: Value, _ second: Value) -> Bool
    where Value.RawValue: Storable {
        RawValueForm.same(first, second)
    }

    @_disfavoredOverload
    public static func same<Value>(_ first: Value, _ second: Value) -> Bool {
        Ladder.sameBits(first, second)
            || Ladder.codec(for: Value.self, isID: false).same(first, second)
    }

    /// Notes the field in `changes` if its bytes differ.
    @inlinable
    public static func change<Value: Storable>(
        _ index: Int, _ name: StaticString, _ old: Value, _ new: Value,
        into changes: inout FieldChanges
    ) throws(CodecError) {
        guard !Value.sameBytes(old, new) else { return }
        let start = changes.bytes.count
        do throws(CodecError) {
            try old.store(into: &changes.bytes)
            let middle = changes.bytes.count
            try new.store(into: &changes.bytes)
            changes.note(index, start: start, middle: middle)
        } catch {
            changes.bytes.truncate(to: start)
            throw error.naming("\(name)")
        }
    }

    /// Notes the field in `changes` if its bytes differ.
    @_disfavoredOverload
    @inlinable
    public static func change<Value: RawRepresentable>(
        _ index: Int, _ name: StaticString, _ old: Value, _ new: Value,
        into changes: inout FieldChanges
    ) throws(CodecError) where Value.RawValue: Storable {
        guard !RawValueForm.same(old, new) else { return }
        let start = changes.bytes.count
        do throws(CodecError) {
            try RawValueForm.store(old, into: &changes.bytes)
            let middle = changes.bytes.count
            try RawValueForm.store(new, into: &changes.bytes)
            changes.note(index, start: start, middle: middle)
        } catch {
            changes.bytes.truncate(to: start)
            throw error.naming("\(name)")
        }
    }

    /// Notes the field in `changes` if its bytes differ.
    @_disfavoredOverload
    public static func change<Value>(
        _ index: Int, _ name: StaticString, _ old: Value, _ new: Value,
        into changes: inout FieldChanges
    ) throws(CodecError) {
        guard !Ladder.sameBits(old, new) else { return }
        let codec = Ladder.codec(for: Value.self, isID: false)
        do throws(CodecError) {
            try changes.append(
                index,
                old: { writer throws(CodecError) in try codec.store(old, into: &writer) },
                new: { writer throws(CodecError) in try codec.store(new, into: &writer) })
        } catch {
            throw error.naming("\(name)")
        }
    }
}
