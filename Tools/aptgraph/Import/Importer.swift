import AptGraphInput
import Foundation
import Varve

/// Brings index files into a store: reads them all, then saves package by package, a thousand to
/// a transaction.
struct Importer: Sendable {
    let storePath: String
    let files: [PackagesFile]
    let naming: PackageNaming
    let showsProgress: Bool

    /// How it went, and the stanzas that were skipped.
    struct Outcome: Sendable {
        var report: ImportReport
        var problems: [PackageIndex.Problem]
        /// What a writer before this one left unfinished.
        var recoveryNotice: String?
    }

    /// - Throws: ``ImportError`` where a failure left some transactions in the store, and else
    ///   what reading the files or opening the store brings up.
    func run() async throws -> Outcome {
        let clock = ContinuousClock()
        let start = clock.now
        let (index, store) = try await readAndOpen()
        // As in every command, freeing the graph at the end would only take time.
        _ = Unmanaged.passRetained(store)
        var report = ImportReport(packages: index.stanzas.count, skipped: index.problems.count)
        let before = store.lastTransaction
        do {
            report.dependencies = try await write(index, to: store)
            try store.flush()
            // Every later command opens the store without reading the log of the import. Where that fails, the import is whole
            // all the same.
            if store.lastTransaction > before { _ = try? await store.compact() }
            try store.close()
        } catch {
            // What went wrong first says more than what closing may add to it.
            try? store.close()
            throw ImportError(
                cause: error, transactions: Self.distance(from: before, to: store.lastTransaction))
        }
        report.transactions = Self.distance(from: before, to: store.lastTransaction)
        report.storeBytes = try Measurement.byteCount(ofDirectory: storePath)
        report.peakBytes = Measurement.peakBytes
        report.seconds = (clock.now - start) / .seconds(1)
        return Outcome(
            report: report, problems: index.problems, recoveryNotice: store.recoveryNotice)
    }

    // MARK: Reading

    /// A store that is there is opened while the files are read. A new one is created only once
    /// they were read without a fault, so that a failure leaves nothing behind.
    private func readAndOpen() async throws -> (PackageIndex, Store) {
        if Store.isAbsent(storePath) {
            let index = try read()
            return (index, try Store.forImport(at: storePath))
        }
        async let index = read()
        let store = try Store.forImport(at: storePath)
        do {
            return (try await index, store)
        } catch {
            try store.close()
            throw error
        }
    }

    private func read() throws -> PackageIndex {
        var index = PackageIndex(naming: naming)
        var bar = ProgressBar(title: "Reading", isShown: showsProgress)
        defer { bar.clear() }
        try index.read(files) { bar.show($0) }
        if index.stanzas.isEmpty, !index.problems.isEmpty {
            throw ImportError.nothingReadable(index.problems)
        }
        return index
    }

    // MARK: Writing

    /// - Returns: how many dependencies the packages have.
    private func write(_ index: PackageIndex, to store: Store) async throws -> Int {
        var bar = ProgressBar(title: "Importing", isShown: showsProgress)
        defer { bar.clear() }
        let batches = PackageBatches(index)
        var dependencyCount = 0
        var upcoming = Task { await batches.nextBatch() }
        while let batch = await upcoming.value {
            upcoming = Task { await batches.nextBatch() }
            try write(batch, to: store)
            dependencyCount += batch.dependencyCount
            bar.show(Double(batch.range.upperBound) / Double(index.stanzas.count))
        }
        return dependencyCount
    }

    /// Apart from its caller because an asynchronous one would get the asynchronous `write`.
    private func write(_ batch: PackageBatches.Batch, to store: Store) throws {
        try store.write(batch.label) { context in try batch.save(to: &context) }
    }

    private static func distance(from first: TransactionID, to last: TransactionID) -> UInt64 {
        last.rawValue - first.rawValue
    }
}

/// An import that did not reach its end.
enum ImportError: Error {
    /// The store refused; what it took before stays, so that importing again completes it.
    case interrupted(cause: any Error, transactions: UInt64)
    /// Not one stanza of the input is a package's.
    case nothingReadable([PackageIndex.Problem])

    init(cause: any Error, transactions: UInt64) {
        self = .interrupted(cause: cause, transactions: transactions)
    }
}
