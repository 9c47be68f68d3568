extension StoredType {
    /// A value of this type as JSON text; its bytes in hexadecimal if they are no such value.
    package func text(of bytes: UnsafeRawBufferPointer) -> String {
        do throws(CodecError) {
            return try StoredValue(self, bytes: bytes).json
        } catch {
            return bytes.map { byte in
                let digits = String(byte, radix: 16)
                return byte < 16 ? "0" + digits : digits
            }.joined()
        }
    }
}
