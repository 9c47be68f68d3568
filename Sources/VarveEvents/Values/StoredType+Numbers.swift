// Ids that a store gives are whole numbers from 1 on.

extension StoredType {
    /// Whether values are integers, so that a store can give ids of this type.
    package var isInteger: Bool {
        switch self {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: true
        default: false
        }
    }

    /// The number that an id has; nil below zero, and for a type that is no integer.
    package func number(ofID bytes: UnsafeRawBufferPointer) -> UInt64? {
        var reader = ByteReader(bytes)
        do throws(CodecError) {
            switch self {
            case .int8: return UInt64(exactly: Int8(bitPattern: try reader.readByte()))
            case .int16, .int32, .int64: return UInt64(exactly: try reader.readSigned())
            case .uint8: return UInt64(try reader.readByte())
            case .uint16, .uint32, .uint64: return try reader.readVarint()
            default: return nil
            }
        } catch {
            return nil
        }
    }

    /// Appends the bytes of the id that has a number. The type is an integer, and the number one of its values.
    package func writeID(of number: UInt64, into writer: inout ByteWriter) {
        switch self {
        case .int8, .uint8: writer.append(UInt8(truncatingIfNeeded: number))
        case .int16, .int32, .int64: writer.writeSigned(Int64(truncatingIfNeeded: number))
        default: writer.writeVarint(number)
        }
    }
}
