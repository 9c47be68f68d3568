package import VarveEvents

// The only file that knows which library computes SHA-256.
#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import CCrypto
#endif

/// Computes the SHA-256 of bytes that come in pieces.
package struct DigestHasher: ~Copyable {
    #if canImport(CryptoKit)
        private var state = SHA256()

        package init() {}

        package mutating func update(_ bytes: UnsafeRawBufferPointer) {
            state.update(bufferPointer: bytes)
        }

        package consuming func finish() -> AssetDigest {
            let digest = state.finalize().withUnsafeBytes { AssetDigest(bytes: $0) }
            guard let digest else { preconditionFailure("SHA-256 has 32 bytes") }
            return digest
        }
    #else
        private let state: OpaquePointer

        package init() {
            // Both fail for want of memory alone.
            guard let state = EVP_MD_CTX_new(), EVP_DigestInit_ex(state, EVP_sha256(), nil) == 1
            else { fatalError("libcrypto has no SHA-256") }
            self.state = state
        }

        deinit { EVP_MD_CTX_free(state) }

        package mutating func update(_ bytes: UnsafeRawBufferPointer) {
            guard EVP_DigestUpdate(state, bytes.baseAddress, bytes.count) == 1 else {
                fatalError("libcrypto did not take bytes to hash")
            }
        }

        package consuming func finish() -> AssetDigest {
            withUnsafeTemporaryAllocation(byteCount: AssetDigest.byteCount, alignment: 8) {
                buffer in
                let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
                guard EVP_DigestFinal_ex(state, start, nil) == 1,
                    let digest = AssetDigest(bytes: UnsafeRawBufferPointer(buffer))
                else { fatalError("libcrypto did not finish a SHA-256") }
                return digest
            }
        }
    #endif
}

extension AssetDigest {
    /// The digest of bytes that are in memory.
    package init(of bytes: UnsafeRawBufferPointer) {
        var hasher = DigestHasher()
        hasher.update(bytes)
        self = hasher.finish()
    }
}
