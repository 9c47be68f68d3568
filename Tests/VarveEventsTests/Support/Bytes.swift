import VarveEvents

func encoded(_ type: StoredType) throws -> [UInt8] {
    var writer = ByteWriter()
    try type.encode(into: &writer)
    return writer.copyBytes()
}

func encoded(_ definition: TypeDefinition) throws -> [UInt8] {
    var writer = ByteWriter()
    try definition.encode(into: &writer)
    return writer.copyBytes()
}

/// A count of changes, which `#expect` cannot take from a noncopyable value itself.
func count(of changes: borrowing FieldChanges) -> Int { changes.count }
