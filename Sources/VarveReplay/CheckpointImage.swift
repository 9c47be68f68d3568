internal import Foundation
internal import VarveEvents
internal import VarveLog
internal import VarveTables

/// The image in a checkpoint: the content of its pages, one behind the other. First come the pages of blocks, with many in
/// each, then those of the root.
///
/// It keeps the file open: blocks are read when a compaction has removed the file's name.
final class CheckpointImage: BlockSource {
    let file: CheckpointFile
    private let readers: CheckpointReaders
    /// Where the content of each page begins in the image, and where that of the last ends.
    private let starts: [UInt64]
    /// How many of the pages have blocks.
    private let blockPageCount: Int

    /// How many pages of the file are the image's.
    private var pageCount: Int { starts.count - 1 }

    /// Why the system refused the last read that it refused.
    private let refusal = Lock<LogError?>(nil)

    /// Throws `.checkpointDamaged` where the pages are not those of an image.
    init(_ file: CheckpointFile) throws(LogError) {
        self.file = file
        let (block, root) = (CheckpointPart.Kind.block.code, CheckpointPart.Kind.imageRoot.code)
        let (pages, end) = (file.pages, file.notes.startIndex)
        var blockPageCount = 0
        var starts: [UInt64] = [0]
        starts.reserveCapacity(end + 1)
        // By position: a slice of the pages makes each through a table of witnesses, for twice the time.
        for position in 0..<end {
            let page = pages[position]
            let key = page.key
            let isBlock = position == blockPageCount && key.kind == block
            if isBlock { blockPageCount += 1 }
            guard isBlock || key.kind == root,
                Int(key.first) == (isBlock ? position : position - blockPageCount)
            else {
                throw .checkpointDamaged(
                    file: file.reference.file.text,
                    reason: "page \(position) is none of an image, or not in its order")
            }
            starts.append(starts[position] + page.rawBytes.rawValue)
        }
        (self.blockPageCount, self.starts) = (blockPageCount, starts)
        readers = try file.makeReaders()
    }

    // MARK: Reading

    var byteCount: UInt64 { starts[pageCount] }
    var rootOffset: UInt64 { starts[blockPageCount] }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(BlockStorageError) -> Int {
        guard offset < byteCount else { return 0 }
        var (filled, page) = (0, page(at: offset))
        while filled < buffer.count, page < pageCount {
            let first = offset + UInt64(filled) - starts[page]
            let count = min(UInt64(buffer.count - filled), starts[page + 1] - starts[page] - first)
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer[filled..<filled + Int(count)])
            try read(page, from: Int(first), into: part)
            filled += Int(count)
            page += 1
        }
        return filled
    }

    /// The last page that begins at or before an offset inside the image.
    private func page(at offset: UInt64) -> Int {
        var (low, high) = (0, pageCount)
        while low + 1 < high {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// Where in the file an offset inside the image is.
    func place(of offset: UInt64) -> FrameOffset {
        let page = page(at: offset)
        return file.pages[page].place(ofByte: Int(offset - starts[page]))
    }

    private func read(
        _ page: Int, from first: Int, into target: UnsafeMutableRawBufferPointer
    ) throws(BlockStorageError) {
        do throws(LogError) {
            try readers.read(file.pages[page], from: first, into: target)
        } catch .checkpointDamaged(_, _, let reason) {
            throw BlockStorageError(reason: reason)
        } catch {
            refusal.withLock { $0 = error }
            throw BlockStorageError(reason: "\(error)")
        }
    }

    // MARK: Verifying

    /// Compares the stored bytes of all pages with their checksums, on all cores. Nothing is decompressed.
    ///
    /// Of several faults that of the first page is thrown.
    func verifyStored() throws(LogError) {
        let count = file.pages.count
        // A thread takes longer to begin than to compare a few pages, each of up to 256 KiB.
        let threads = min(max(1, ProcessInfo.processInfo.activeProcessorCount), 8, count / 4 + 1)
        let failures = Lock<[Int: LogError]>([:])
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            do throws(LogError) {
                try verifyStored(count * thread / threads..<count * (thread + 1) / threads)
            } catch {
                failures.withLock { [error] in $0[thread] = error }
            }
        }
        let first = failures.withLock { failures in
            failures.min { $0.key < $1.key }?.value
        }
        if let first { throw first }
    }

    func verifyStored(_ pages: Range<Int>) throws(LogError) {
        try readers.withReader { reader throws(LogError) in
            for page in file.pages[pages] {
                do throws(LogError) {
                    try reader.verifyStored(page)
                } catch  where error.isOfShorterFile {
                    throw .checkpointDamaged(
                        file: file.reference.file.text, offset: page.offset, reason: "\(error)")
                }
            }
        }
    }

    /// Compares the root with the digest of the checkpoint's content.
    func verifyRoot() throws(LogError) {
        let start = rootOffset
        let root = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(byteCount - start), alignment: 8)
        defer { root.deallocate() }
        do throws(BlockStorageError) {
            _ = try read(into: root, at: start)
        } catch {
            throw self.error(error.reason)
        }
        guard Self.digest(ofRoot: UnsafeRawBufferPointer(root)) == file.contentDigest else {
            throw self.error("its digest differs from that of its root")
        }
    }

    /// The digest of a checkpoint's content. The root has the checksums of the parts of the directory, and these those of all blocks.
    static func digest(ofRoot root: UnsafeRawBufferPointer) -> UInt64 {
        XXH64.hash(root, seed: 0)
    }

    // MARK: Errors

    /// What the file's readers throw for damage: what the system said where it refused to read, else
    /// `.checkpointDamaged`.
    ///
    /// - Parameter offset: where in the image it is.
    func error(_ reason: String, at offset: UInt64? = nil) -> LogError {
        let refused = refusal.withLock { refusal -> LogError? in
            defer { refusal = nil }
            return refusal
        }
        let place = offset.flatMap { $0 < byteCount ? self.place(of: $0) : nil }
        // A file that ends too early is refused by no system: it is not what was written.
        if let refused, !refused.isOfShorterFile { return refused }
        return .checkpointDamaged(
            file: file.reference.file.text, offset: place, reason: reason)
    }

    func wrapping<Result>(
        _ body: () throws(ImageError) -> Result
    ) throws(LogError) -> Result {
        do throws(ImageError) {
            return try body()
        } catch {
            guard case .unsupported(let form, let supported) = error else {
                throw self.error("\(error)")
            }
            throw .unsupportedVersion(
                file: file.reference.file.text, found: UInt16(clamping: form),
                supported: UInt16(
                    clamping: max(supported.lowerBound, min(form, supported.upperBound))))
        }
    }
}

extension CheckpointFile {
    /// The pages at its end that what reads the content may pass over.
    var notes: Slice<CheckpointPages> {
        var start = pages.endIndex
        while start > 0, CheckpointPart.Kind(code: pages[start - 1].key.kind).isIgnorable {
            start -= 1
        }
        return pages[start...]
    }
}
