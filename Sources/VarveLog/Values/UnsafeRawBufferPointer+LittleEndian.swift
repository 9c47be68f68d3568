extension UnsafeRawBufferPointer {
    /// The integer at `offset`, which must lie inside the buffer.
    @inline(__always)
    func integer<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value {
        precondition(
            offset >= 0 && offset &+ MemoryLayout<Value>.size <= count,
            "an integer is read inside its record")
        return Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    /// How many bytes there are up to the last that is not zero.
    var countWithoutTrailingZeros: Int {
        var end = count
        let width = MemoryLayout<UInt64>.size
        while end >= width, loadUnaligned(fromByteOffset: end - width, as: UInt64.self) == 0 {
            end -= width
        }
        while end > 0, self[end - 1] == 0 { end -= 1 }
        return end
    }
}

extension UnsafeMutableRawBufferPointer {
    @inline(__always)
    func store<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
        precondition(
            offset >= 0 && offset &+ MemoryLayout<Value>.size <= count,
            "an integer is written inside its record")
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
    }
}

extension [UInt8] {
    /// As `withUnsafeBytes`, keeping the type of the error that `body` throws.
    package func withUnsafeBytesTyped<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outcome: Result<Value, Failure> = withUnsafeBytes { buffer in
            do throws(Failure) {
                return .success(try body(buffer))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
