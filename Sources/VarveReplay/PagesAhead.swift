internal import Foundation
internal import VarveEvents
internal import VarveLog
internal import VarveTables

extension CheckpointFile {
    /// Reads the state in pages of entities. Up to eight threads read, decompress, verify and decode them, some way
    /// ahead of the one that builds the state.
    func readPages() throws(LogError) -> State {
        let reader = try makeReader()
        let decoder = try content { () throws(CheckpointReadFailure<LogError>) in
            try CheckpointDecoder(parts, rawBytes: rawBytes) { page throws(LogError) in
                PageBytes(try reader.read(pages[page]))
            }
        }
        var loader = StateLoader(decoder)
        let ahead = PagesAhead(of: self, decoder)
        ahead.begin()
        defer { ahead.end() }
        while let page = try ahead.next() {
            do throws(CheckpointContentError) {
                try loader.add(page)
            } catch {
                throw damaged(error)
            }
        }
        return loader.finish()
    }
}

/// Decodes the pages of a checkpoint in threads of its own, some way ahead of the thread that takes them.
///
/// `@unchecked Sendable`: what threads share is behind the lock, but for `taken`, which belongs to the taking thread.
private final class PagesAhead: @unchecked Sendable {
    /// How many decoded pages each thread may be ahead. A page has some 256 KiB.
    private static let aheadMax = 3

    private struct Progress {
        /// The page that is decoded next; pages are decoded in their order.
        var next = 0
        var decoded: [Int: Result<DecodedPage, LogError>] = [:]
        var isAbandoned = false
    }

    private let file: CheckpointFile
    private let decoder: CheckpointDecoder
    private let pages: [Int]
    private let progress = Lock(Progress())
    private let threadCount: Int
    private var taken = 0
    /// Signalled once for each page that may be decoded.
    private let room = DispatchSemaphore(value: 0)
    /// Signalled once for each page that was, in whatever order.
    private let arrived = DispatchSemaphore(value: 0)
    private let threads = DispatchGroup()

    init(of file: CheckpointFile, _ decoder: CheckpointDecoder) {
        self.file = file
        self.decoder = decoder
        pages = decoder.pages
        let processors = ProcessInfo.processInfo.activeProcessorCount
        threadCount = min(max(1, processors - 1), 8, pages.count)
    }

    func begin() {
        for _ in 0..<threadCount * Self.aheadMax { room.signal() }
        for _ in 0..<threadCount {
            threads.enter()
            Thread.detachNewThread { [self] in
                decodePages()
                threads.leave()
            }
        }
    }

    /// The next page; nil behind the last.
    func next() throws(LogError) -> DecodedPage? {
        guard taken < pages.count else { return nil }
        var decoded: Result<DecodedPage, LogError>?
        while true {
            decoded = progress.withLock { $0.decoded.removeValue(forKey: taken) }
            if let decoded {
                taken += 1
                room.signal()
                return try decoded.get()
            }
            arrived.wait()
        }
    }

    /// Ends what is still being decoded, and waits for it.
    func end() {
        progress.withLock { $0.isAbandoned = true }
        for _ in 0..<threadCount { room.signal() }
        threads.wait()
    }

    private func decodePages() {
        let reader = Result { () throws(LogError) in try file.makeReader() }
        while true {
            room.wait()
            let taken = progress.withLock { progress -> Int? in
                guard !progress.isAbandoned, progress.next < pages.count else { return nil }
                defer { progress.next += 1 }
                return progress.next
            }
            guard let taken else { return }
            let decoded = Result { () throws(LogError) in
                try decode(pages[taken], try reader.get())
            }
            progress.withLock { $0.decoded[taken] = decoded }
            arrived.signal()
        }
    }

    private func decode(
        _ page: Int, _ reader: CheckpointReader
    ) throws(LogError) -> DecodedPage {
        let bytes = PageBytes(try reader.read(file.pages[page]))
        do throws(CheckpointContentError) {
            return try decoder.decode(bytes, ofPage: page)
        } catch {
            throw file.damaged(error)
        }
    }
}
