import Foundation

/// Between two rows: what one leaves to be done must not be paid by the next.
///
/// Every engine works on behind its calls. LevelDB and RocksDB merge files, Varve writes a checkpoint
/// when the log has grown, and the system writes what nobody synced.
enum Rest {
    private static let interval = 0.1
    /// How long an engine may take: Varve's checkpoint of the largest data set takes four seconds.
    private static let limit = 60.0

    /// Returns when nothing is left to be written, and the process has used next to no processor time for a while.
    static func wait(for engine: EngineName) throws {
        // All that the system owes the disk, whatever wrote it.
        sync()
        var quiet = 0
        for _ in 0..<Int(limit / interval) {
            let before = ProcessFigures.processorSeconds
            Thread.sleep(forTimeInterval: interval)
            let isQuiet = ProcessFigures.processorSeconds - before < interval / 50
            quiet = isQuiet ? quiet + 1 : 0
            if quiet == 3 { return sync() }
        }
        throw EngineError(engine, "did not come to rest within \(limit) s")
    }
}
