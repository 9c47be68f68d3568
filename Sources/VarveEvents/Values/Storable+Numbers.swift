extension Bool: Storable {
    @inlinable public static var storedType: StoredType { .bool }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.append(self ? 1 : 0)
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> Bool {
        let byte = try reader.readByte()
        guard byte <= 1 else {
            throw .invalidTag(offset: reader.position &- 1, found: UInt64(byte), typeName: "Bool")
        }
        return byte == 1
    }

    @inlinable
    public static func sameBytes(_ first: Bool, _ second: Bool) -> Bool { first == second }
}

extension UInt8: Storable {
    @inlinable public static var storedType: StoredType { .uint8 }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.append(self)
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> UInt8 {
        try reader.readByte()
    }

    @inlinable
    public static func sameBytes(_ first: UInt8, _ second: UInt8) -> Bool { first == second }
}

extension Int8: Storable {
    @inlinable public static var storedType: StoredType { .int8 }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.append(UInt8(bitPattern: self))
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> Int8 {
        Int8(bitPattern: try reader.readByte())
    }

    @inlinable
    public static func sameBytes(_ first: Int8, _ second: Int8) -> Bool { first == second }
}

extension Int16: Storable {
    @inlinable public static var storedType: StoredType { .int16 }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeSigned(Int64(self))
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> Int16 {
        let start = reader.position
        guard let value = Int16(exactly: try reader.readSigned()) else {
            throw .valueOutOfRange(offset: start, typeName: "Int16")
        }
        return value
    }

    @inlinable
    public static func sameBytes(_ first: Int16, _ second: Int16) -> Bool { first == second }
}

extension Int32: Storable {
    @inlinable public static var storedType: StoredType { .int32 }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeSigned(Int64(self))
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> Int32 {
        let start = reader.position
        guard let value = Int32(exactly: try reader.readSigned()) else {
            throw .valueOutOfRange(offset: start, typeName: "Int32")
        }
        return value
    }

    @inlinable
    public static func sameBytes(_ first: Int32, _ second: Int32) -> Bool { first == second }
}

extension Int64: Storable {
    @inlinable public static var storedType: StoredType { .int64 }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeSigned(Int64(self))
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> Int64 {
        try reader.readSigned()
    }

    @inlinable
    public static func sameBytes(_ first: Int64, _ second: Int64) -> Bool { first == second }
}

extension Int: Storable {
    @inlinable public static var storedType: StoredType { .int64 }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeSigned(Int64(self))
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> Int {
        let start = reader.position
        guard let value = Int(exactly: try reader.readSigned()) else {
            throw .valueOutOfRange(offset: start, typeName: "Int")
        }
        return value
    }

    @inlinable
    public static func sameBytes(_ first: Int, _ second: Int) -> Bool { first == second }
}

extension UInt16: Storable {
    @inlinable public static var storedType: StoredType { .uint16 }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeVarint(UInt64(self))
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> UInt16 {
        let start = reader.position
        guard let value = UInt16(exactly: try reader.readVarint()) else {
            throw .valueOutOfRange(offset: start, typeName: "UInt16")
        }
        return value
    }

    @inlinable
    public static func sameBytes(_ first: UInt16, _ second: UInt16) -> Bool { first == second }
}

extension UInt32: Storable {
    @inlinable public static var storedType: StoredType { .uint32 }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeVarint(UInt64(self))
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> UInt32 {
        let start = reader.position
        guard let value = UInt32(exactly: try reader.readVarint()) else {
            throw .valueOutOfRange(offset: start, typeName: "UInt32")
        }
        return value
    }

    @inlinable
    public static func sameBytes(_ first: UInt32, _ second: UInt32) -> Bool { first == second }
}

extension UInt64: Storable {
    @inlinable public static var storedType: StoredType { .uint64 }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeVarint(UInt64(self))
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> UInt64 {
        try reader.readVarint()
    }

    @inlinable
    public static func sameBytes(_ first: UInt64, _ second: UInt64) -> Bool { first == second }
}

extension UInt: Storable {
    @inlinable public static var storedType: StoredType { .uint64 }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeVarint(UInt64(self))
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> UInt {
        let start = reader.position
        guard let value = UInt(exactly: try reader.readVarint()) else {
            throw .valueOutOfRange(offset: start, typeName: "UInt")
        }
        return value
    }

    @inlinable
    public static func sameBytes(_ first: UInt, _ second: UInt) -> Bool { first == second }
}

extension Float: Storable {
    @inlinable public static var storedType: StoredType { .float }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.write(littleEndian: bitPattern)
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> Float {
        Float(bitPattern: try reader.readLittleEndian(UInt32.self))
    }

    @inlinable
    public static func sameBytes(_ first: Float, _ second: Float) -> Bool {
        first.bitPattern == second.bitPattern
    }
}

extension Double: Storable {
    @inlinable public static var storedType: StoredType { .double }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.write(littleEndian: bitPattern)
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> Double {
        Double(bitPattern: try reader.readLittleEndian(UInt64.self))
    }

    @inlinable
    public static func sameBytes(_ first: Double, _ second: Double) -> Bool {
        first.bitPattern == second.bitPattern
    }
}
