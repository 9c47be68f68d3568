/// Stored types of the members of `@Storable` types, for generated code.
///
/// Every member needs a stored form, so there is no last rung here: a type without one does not
/// compile. The overloads only say what compiles; ``Ladder`` decides. Each raw-value overload
/// comes twice, the second breaking the tie with `Codable`, which most enumerations are too.
extension _FieldCodec {
    public static func storedType<Value: Storable>(of type: Value.Type) -> StoredType {
        Value.storedType
    }

    @_disfavoredOverload
    public static func storedType<Value: Codable>(of type: Value.Type) -> StoredType {
        ladderType(of: type)
    }

    private static func ladderType<Value>(of type: Value.Type) -> StoredType {
        guard case .stored(let stored, _) = Ladder.codec(for: type, isID: false).kind else {
            preconditionFailure("\(type) has no stored form, though it is Codable or raw")
        }
        return stored
    }

    // MARK: Raw values

    @_disfavoredOverload
    public static func storedType<Value: RawRepresentable>(
        of type: Value.Type
    ) -> StoredType where Value.RawValue: Storable {
        ladderType(of: type)
    }

    @_disfavoredOverload
    public static func storedType<Value: RawRepresentable & Codable>(
        of type: Value.Type
    ) -> StoredType where Value.RawValue: Storable {
        ladderType(of: type)
    }

    @_disfavoredOverload
    public static func storedType<Value: RawRepresentable>(
        of type: Value?.Type
    ) -> StoredType where Value.RawValue: Storable {
        ladderType(of: type)
    }

    @_disfavoredOverload
    public static func storedType<Value: RawRepresentable & Codable>(
        of type: Value?.Type
    ) -> StoredType where Value.RawValue: Storable {
        ladderType(of: type)
    }

    @_disfavoredOverload
    public static func storedType<Value: RawRepresentable>(
        of type: [Value].Type
    ) -> StoredType where Value.RawValue: Storable {
        ladderType(of: type)
    }

    @_disfavoredOverload
    public static func storedType<Value: RawRepresentable & Codable>(
        of type: [Value].Type
    ) -> StoredType where Value.RawValue: Storable {
        ladderType(of: type)
    }

    @_disfavoredOverload
    public static func storedType<Value: RawRepresentable & Hashable>(
        of type: Set<Value>.Type
    ) -> StoredType where Value.RawValue: Storable {
        ladderType(of: type)
    }

    @_disfavoredOverload
    public static func storedType<Value: RawRepresentable & Codable & Hashable>(
        of type: Set<Value>.Type
    ) -> StoredType where Value.RawValue: Storable {
        ladderType(of: type)
    }

    @_disfavoredOverload
    public static func storedType<Key: Hashable, Value: RawRepresentable>(
        of type: [Key: Value].Type
    ) -> StoredType where Value.RawValue: Storable {
        ladderType(of: type)
    }

    @_disfavoredOverload
    public static func storedType<Key: Hashable, Value: RawRepresentable & Codable>(
        of type: [Key: Value].Type
    ) -> StoredType where Value.RawValue: Storable {
        ladderType(of: type)
    }
}
