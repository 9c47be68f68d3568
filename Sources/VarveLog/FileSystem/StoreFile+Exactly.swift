extension StoreFile {
    /// Fills `buffer`, however many calls it takes.
    package func readExactly(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset, name: String
    ) throws(FileSystemError) {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let position = FrameOffset(offset.rawValue + UInt64(filled))
            let count = try read(into: rest, at: position)
            guard count > 0 else {
                throw FileSystemError(.read, file: name, reason: .unexpectedEnd)
            }
            filled += count
        }
    }

    /// Writes all of `bytes`. After an error any prefix of them may be in the file.
    package func writeAll(
        _ bytes: UnsafeRawBufferPointer, at offset: FrameOffset, name: String
    ) throws(FileSystemError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let position = FrameOffset(offset.rawValue + UInt64(written))
            let count = try write(rest, at: position)
            guard count > 0 else {
                throw FileSystemError(.write, file: name, reason: .nothingWritten)
            }
            written += count
        }
    }

    /// `count` bytes from `offset`.
    package func readBytes(
        at offset: FrameOffset, count: Int, name: String
    ) throws(FileSystemError) -> [UInt8] {
        var failure: FileSystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            do throws(FileSystemError) {
                let room = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count])
                try readExactly(into: room, at: offset, name: name)
                initializedCount = count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
