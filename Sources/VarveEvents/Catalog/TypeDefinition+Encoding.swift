extension TypeDefinition {
    private static let tombstoneFlag: UInt8 = 1
    private static let numbersFlag: UInt8 = 2

    /// Appends the definition's binary form.
    package func encode(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeVarint(UInt64(number.rawValue))
        writer.writeText(name)
        try idType.encode(into: &writer)
        writer.append(
            (tombstoneOf == nil ? 0 : Self.tombstoneFlag) | (numbersIDs ? Self.numbersFlag : 0))
        if let tombstoneOf { writer.writeVarint(UInt64(tombstoneOf.rawValue)) }
        writer.writeCount(fields.count)
        for field in fields { try field.encode(into: &writer) }
        writer.writeCount(relations.count)
        for relation in relations { relation.encode(into: &writer) }
    }

    /// Reads a definition written by ``encode(into:)``.
    package static func decode(
        from reader: inout ByteReader
    ) throws(CodecError) -> TypeDefinition {
        let number = TypeNumber(try reader.readNumber())
        let name = try reader.readText()
        let idOffset = reader.position
        let idType = try StoredType.decode(from: &reader)
        guard !idType.holdsAssets else {
            throw .invalidValue(offset: idOffset, typeName: "id without an asset")
        }
        let offset = reader.position
        let flags = try reader.readFlags(known: tombstoneFlag | numbersFlag, of: "TypeDefinition")
        let numbersIDs = flags & numbersFlag != 0
        guard !numbersIDs || idType.isInteger else {
            throw .invalidTag(offset: offset, found: UInt64(flags), typeName: "TypeDefinition")
        }
        var tombstoneOf: TypeNumber?
        if flags & tombstoneFlag != 0 { tombstoneOf = TypeNumber(try reader.readNumber()) }
        var fields: [FieldDefinition] = []
        for _ in 0..<(try reader.readCount()) {
            fields.append(try FieldDefinition.decode(from: &reader))
        }
        var relations: [RelationDefinition] = []
        for _ in 0..<(try reader.readCount()) {
            relations.append(try RelationDefinition.decode(from: &reader))
        }
        return TypeDefinition(
            number: number, name: name, idType: idType, fields: fields, relations: relations,
            tombstoneOf: tombstoneOf, numbersIDs: numbersIDs)
    }
}

extension FieldDefinition {
    private static let fillFlag: UInt8 = 0x80

    // The rung and whether a fill follows share one byte.
    func encode(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeVarint(UInt64(number.rawValue))
        writer.writeText(name)
        try type.encode(into: &writer)
        writer.append(rung.rawValue | (fill == nil ? 0 : Self.fillFlag))
        if let fill {
            writer.writeCount(fill.count)
            writer.write(fill)
        }
    }

    static func decode(from reader: inout ByteReader) throws(CodecError) -> FieldDefinition {
        let number = FieldNumber(try reader.readNumber())
        let name = try reader.readText()
        let type = try StoredType.decode(from: &reader)
        let offset = reader.position
        let byte = try reader.readByte()
        guard let rung = Rung(rawValue: byte & ~fillFlag) else {
            throw .invalidTag(offset: offset, found: UInt64(byte), typeName: "Rung")
        }
        var fill: [UInt8]?
        if byte & fillFlag != 0 {
            let start = reader.position
            let bytes = try reader.readLengthPrefixed()
            var inner = ByteReader(bytes)
            try type.skip(&inner)
            guard inner.isAtEnd else {
                throw .invalidValue(offset: start, typeName: "\(type)")
            }
            fill = [UInt8](bytes)
        }
        return FieldDefinition(number: number, name: name, type: type, rung: rung, fill: fill)
    }
}

extension RelationDefinition {
    private static let toManyFlag: UInt8 = 1
    private static let requiredFlag: UInt8 = 2
    private static let inverseFlag: UInt8 = 4

    func encode(into writer: inout ByteWriter) {
        writer.writeVarint(UInt64(number.rawValue))
        writer.writeText(name)
        writer.writeVarint(UInt64(target.rawValue))
        writer.append(
            (isToMany ? Self.toManyFlag : 0) | (isRequired ? Self.requiredFlag : 0)
                | (inverse == nil ? 0 : Self.inverseFlag))
        if let inverse { writer.writeVarint(UInt64(inverse.rawValue)) }
        writer.append(deleteRule.rawValue)
    }

    static func decode(from reader: inout ByteReader) throws(CodecError) -> RelationDefinition {
        let number = RelationNumber(try reader.readNumber())
        let name = try reader.readText()
        let target = TypeNumber(try reader.readNumber())
        let flags = try reader.readFlags(
            known: toManyFlag | requiredFlag | inverseFlag, of: "RelationDefinition")
        var inverse: RelationNumber?
        if flags & inverseFlag != 0 { inverse = RelationNumber(try reader.readNumber()) }
        let offset = reader.position
        let rule = try reader.readByte()
        guard let deleteRule = DeleteRule(rawValue: rule) else {
            throw .invalidTag(offset: offset, found: UInt64(rule), typeName: "DeleteRule")
        }
        return RelationDefinition(
            number: number, name: name, target: target, isToMany: flags & toManyFlag != 0,
            inverse: inverse, deleteRule: deleteRule, isRequired: flags & requiredFlag != 0)
    }
}

extension ByteReader {
    /// Reads a type, field or relation number: 1 or more, 31 bits.
    mutating func readNumber() throws(CodecError) -> UInt32 {
        let offset = position
        let number = try readVarint()
        guard number > 0, number <= UInt64(Int32.max) else {
            throw .valueOutOfRange(offset: offset, typeName: "number")
        }
        return UInt32(truncatingIfNeeded: number)
    }

    /// Reads a byte of flags of which no unknown one may be set.
    mutating func readFlags(known: UInt8, of typeName: String) throws(CodecError) -> UInt8 {
        let flags = try readByte()
        guard flags & ~known == 0 else {
            throw .invalidTag(offset: position - 1, found: UInt64(flags), typeName: typeName)
        }
        return flags
    }
}
