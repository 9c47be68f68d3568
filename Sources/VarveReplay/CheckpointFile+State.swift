internal import Foundation
package import VarveEvents
package import VarveLog

extension CheckpointFile {
    /// Reads the state in the checkpoint, its pages on all cores.
    ///
    /// Errors: `.checkpointDamaged` for content that cannot be; of several faults always the same.
    package func loadState() throws(LogError) -> ReplayState {
        let reader = try makeReader()
        let loader = try content { () throws(CheckpointReadFailure<LogError>) in
            try CheckpointLoader(parts, rawBytes: rawBytes) { page throws(LogError) in
                PageBytes(try reader.read(pages[page]))
            }
        }
        try UnitLoading(file: self, loader: loader).run()
        return loader.finish()
    }

    /// Reads all pages and compares their content with its digest.
    package func verifyContent() throws(LogError) {
        var verification = try beginVerification()
        while try verification.advance() {}
    }

    /// Reads the first pages; ``CheckpointVerification/advance()`` does the rest.
    package func beginVerification() throws(LogError) -> CheckpointVerification {
        let reader = try makeReader()
        let verifier = try content { () throws(CheckpointReadFailure<LogError>) in
            try CheckpointVerifier(parts, rawBytes: rawBytes) { page throws(LogError) in
                PageBytes(try reader.read(pages[page]))
            }
        }
        return CheckpointVerification(of: self, reader, verifier)
    }

    /// Reads the definitions that the checkpoint holds, and no entity.
    package func loadCatalog() throws(LogError) -> Catalog {
        let reader = try makeReader()
        return try content { () throws(CheckpointReadFailure<LogError>) in
            try CheckpointLoader.catalog(parts, rawBytes: rawBytes) { page throws(LogError) in
                PageBytes(try reader.read(pages[page]))
            }
        }
    }

    var parts: [CheckpointPart] {
        pages.map { page in
            CheckpointPart(
                code: page.key.kind, type: page.key.subject, relation: page.key.part,
                first: page.key.first, count: page.key.count)
        }
    }

    /// How many entities, tombstones and ids it holds.
    package var rowCount: UInt64 {
        parts.reduce(0) { $1.kind == .rows ? $0 + UInt64($1.count) : $0 }
    }

    var rawBytes: [UInt64] { pages.map(\.rawBytes.rawValue) }

    func content<Result: ~Copyable>(
        _ body: () throws(CheckpointReadFailure<LogError>) -> Result
    ) throws(LogError) -> Result {
        do throws(CheckpointReadFailure<LogError>) {
            return try body()
        } catch {
            switch error {
            case .reading(let error): throw error
            case .content(let error): throw damaged(error)
            }
        }
    }

    func damaged(_ error: CheckpointContentError) -> LogError {
        .checkpointDamaged(file: reference.file.text, reason: "\(error)")
    }
}

/// Reads the pages of a checkpoint, one at a time, and compares their content with its digest.
package struct CheckpointVerification: ~Copyable {
    private let file: CheckpointFile
    private let reader: CheckpointReader
    private var verifier: CheckpointVerifier
    private let pages: [Int]
    private var position = 0

    fileprivate init(
        of file: CheckpointFile, _ reader: CheckpointReader,
        _ verifier: consuming CheckpointVerifier
    ) {
        self.file = file
        self.reader = reader
        pages = verifier.pages
        self.verifier = verifier
    }

    /// How much of it is read.
    package var fraction: Double { Double(position) / Double(max(pages.count, 1)) }

    /// Goes on; false when all is read and is as it should be.
    package mutating func advance() throws(LogError) -> Bool {
        do throws(CheckpointContentError) {
            guard position < pages.count else {
                try verifier.finish(file.contentDigest)
                return false
            }
        } catch {
            throw file.damaged(error)
        }
        let page = pages[position]
        let bytes = PageBytes(try reader.read(file.pages[page]))
        do throws(CheckpointContentError) {
            try verifier.take(bytes.bytes, ofPage: page)
        } catch {
            throw file.damaged(error)
        }
        position += 1
        return true
    }
}

/// The performing of a loader's units, by several threads.
private struct UnitLoading: Sendable {
    private struct Progress {
        /// The unit that is taken next; units are taken in their order.
        var next = 0
        var failed: (unit: Int, error: LogError)?
    }

    private let file: CheckpointFile
    private let loader: CheckpointLoader
    private let progress = Lock(Progress())

    init(file: CheckpointFile, loader: CheckpointLoader) {
        self.file = file
        self.loader = loader
    }

    func run() throws(LogError) {
        let threads = min(max(1, ProcessInfo.processInfo.activeProcessorCount), 8)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in performUnits() }
        if let failed = progress.withLock({ $0.failed }) { throw failed.error }
    }

    /// What one thread does: with a reader of its own it takes the next unit when it is done with one.
    private func performUnits() {
        var unit = -1
        do throws(LogError) {
            let reader = try file.makeReader()
            while let next = takeUnit() {
                unit = next
                try file.content { () throws(CheckpointReadFailure<LogError>) in
                    try loader.perform(unit) { page throws(LogError) in
                        PageBytes(try reader.read(file.pages[page]))
                    }
                }
            }
        } catch {
            progress.withLock { [unit] progress in
                // Of what fails the first unit counts: those before it were all taken, so that it
                // does not depend on the threads which that is.
                if unit < progress.failed?.unit ?? .max { progress.failed = (unit, error) }
                progress.next = loader.unitCount
            }
        }
    }

    /// Nil when all units are taken.
    private func takeUnit() -> Int? {
        progress.withLock { progress in
            guard progress.next < loader.unitCount else { return nil }
            defer { progress.next += 1 }
            return progress.next
        }
    }
}
