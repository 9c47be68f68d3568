extension UnsafeRawBufferPointer {
    /// The integer at `offset`, which must lie inside the buffer.
    @inline(__always)
    func integer<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value {
        precondition(
            offset >= 0 && offset &+ MemoryLayout<Value>.size <= count,
            "an integer is read inside its record")
        return Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
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
    func withUnsafeBytesTyped<Value, Failure: Error>(
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
