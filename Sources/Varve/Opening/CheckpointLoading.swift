internal import Foundation
internal import VarveEvents
internal import VarveLog

/// Reads a checkpoint into a replayed state, its pages on all cores.
struct CheckpointLoading {
    let file: CheckpointFile

    /// Errors: `.checkpointDamaged` for content that cannot be.
    func load() throws(LogError) -> ReplayState {
        let opening = try file.makeReader()
        let loader = try content { () throws(CheckpointReadFailure<LogError>) in
            try CheckpointLoader(file.parts, rawBytes: file.rawBytes) { page throws(LogError) in
                PageBytes(try opening.read(file.pages[page]))
            }
        }
        try performUnits(of: loader)
        return loader.finish()
    }

    /// Each thread has a reader of its own and takes the next unit when it is done with one.
    private func performUnits(of loader: CheckpointLoader) throws(LogError) {
        let next = Lock(0)
        let failure = Lock<LogError?>(nil)
        let file = file
        let threads = min(max(1, ProcessInfo.processInfo.activeProcessorCount), 8)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            do throws(LogError) {
                let reader = try file.makeReader()
                while let unit = next.take(below: loader.unitCount) {
                    try content { () throws(CheckpointReadFailure<LogError>) in
                        try loader.perform(unit) { page throws(LogError) in
                            PageBytes(try reader.read(file.pages[page]))
                        }
                    }
                }
            } catch {
                failure.withLock { $0 = $0 ?? error }
                next.withLock { $0 = loader.unitCount }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    private func content<Result>(
        _ body: () throws(CheckpointReadFailure<LogError>) -> Result
    ) throws(LogError) -> Result {
        do throws(CheckpointReadFailure<LogError>) {
            return try body()
        } catch {
            throw file.error(error)
        }
    }
}

extension CheckpointFile {
    /// Reads all pages and compares their content with its digest.
    func verifyContent(_ afterPage: (Int) throws(LogError) -> Void) throws(LogError) {
        let reader = try makeReader()
        do throws(CheckpointReadFailure<LogError>) {
            try CheckpointVerifier.verify(parts, rawBytes: rawBytes, digest: contentDigest) {
                page throws(LogError) in
                try afterPage(page)
                return PageBytes(try reader.read(pages[page]))
            }
        } catch {
            throw self.error(error)
        }
    }

    fileprivate var parts: [CheckpointPart] {
        pages.map { page in
            CheckpointPart(
                code: page.key.kind, type: page.key.subject, relation: page.key.part,
                first: page.key.first, count: page.key.count)
        }
    }

    fileprivate var rawBytes: [UInt64] { pages.map(\.rawBytes.rawValue) }

    fileprivate func error(_ failure: CheckpointReadFailure<LogError>) -> LogError {
        switch failure {
        case .reading(let error): error
        case .content(let error):
            .checkpointDamaged(file: reference.file.text, reason: "\(error)")
        }
    }
}

extension CheckpointWriter {
    func append(_ part: CheckpointPart, _ bytes: UnsafeRawBufferPointer) throws(LogError) {
        try append(
            CheckpointPageKey(
                kind: part.kind.code, subject: part.type.rawValue, part: part.relation.rawValue,
                first: part.first, count: part.count), bytes)
    }
}

extension Lock where State == Int {
    /// The next number, or nil when all below the limit are taken.
    fileprivate func take(below limit: Int) -> Int? {
        withLock { next in
            guard next < limit else { return nil }
            defer { next += 1 }
            return next
        }
    }
}
