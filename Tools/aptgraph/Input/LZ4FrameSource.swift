import CLZ4

/// Decompresses LZ4 frames while they are read: memory stays at one piece of input and liblz4's
/// own window, however long the file is. Frames that follow one another are read as one.
final class LZ4FrameSource: ByteSource {
    private static let inputBytesMax = 256 * 1024

    private let source: any ByteSource
    private let path: String
    private let context: OpaquePointer
    private var input = [UInt8](repeating: 0, count: inputBytesMax)
    private var inputStart = 0
    private var inputEnd = 0
    /// True between frames, where the end of the file is the end of the data.
    private var atFrameBoundary = false
    /// Compressed bytes handed to liblz4.
    private var consumed: Int64 = 0

    init(_ source: any ByteSource, path: String) throws(PackagesError) {
        self.source = source
        self.path = path
        var context: OpaquePointer?
        let code = LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))
        guard LZ4F_isError(code) == 0, let context else {
            throw .damagedFrame(path: path, offset: 0, reason: Self.name(of: code))
        }
        self.context = context
    }

    deinit {
        LZ4F_freeDecompressionContext(context)
    }

    var position: Int64 { source.position }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PackagesError) -> Int {
        while true {
            let hasInput = inputStart < inputEnd ? true : try refill()
            if !hasInput, atFrameBoundary { return 0 }
            // Without input too: liblz4 holds back what did not fit into the last buffer.
            let produced = try decompress(into: buffer)
            if produced > 0 { return produced }
            guard hasInput else { throw .truncatedFrame(path: path, offset: consumed) }
        }
    }

    private func refill() throws(PackagesError) -> Bool {
        inputStart = 0
        inputEnd = 0
        var failure: PackagesError?
        inputEnd = input.withUnsafeMutableBytes { bytes in
            do throws(PackagesError) {
                return try source.read(into: bytes)
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return inputEnd > 0
    }

    private func decompress(into buffer: UnsafeMutableRawBufferPointer) throws(PackagesError) -> Int
    {
        var produced = buffer.count
        var taken = inputEnd - inputStart
        let code = input.withUnsafeBytes { bytes in
            LZ4F_decompress(
                context, buffer.baseAddress, &produced, bytes.baseAddress! + inputStart, &taken, nil
            )
        }
        guard LZ4F_isError(code) == 0 else {
            throw .damagedFrame(path: path, offset: consumed, reason: Self.name(of: code))
        }
        inputStart += taken
        consumed += Int64(taken)
        atFrameBoundary = code == 0
        return produced
    }

    private static func name(of code: LZ4F_errorCode_t) -> String {
        LZ4F_getErrorName(code).map { String(cString: $0) } ?? "code \(code)"
    }
}
