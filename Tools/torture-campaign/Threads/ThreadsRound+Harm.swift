import Foundation
import Varve
import VarveLog
import VarveTestSupport

// A disk that changes what it holds, under all the others.

extension ThreadsRound {
    /// Changes a byte of the newest checkpoint, and checks the files, again and again. One checkpoint is damaged at a
    /// time, and only where there is another one, so that no work of the others may fail.
    func harm() throws {
        var random = SeededGenerator(seed: seed &+ 11)
        var counts = ThreadsCounts()
        var damaged: String?
        while !record.isFinished {
            if let file = damaged, exists(file) {
                _ = try store.checkFiles()
            } else if let file = try damageNewest(&random) {
                damaged = file
                counts.damages += 1
            }
        }
        // A checkpoint of pages, and no other.
        if let file = damaged, exists(file) { try store.compact(for: .size) }
        let health = try store.checkFiles()
        guard health.isSound else { throw CheckFailure(.i17, "\(health)") }
        record.add(counts)
    }

    private func exists(_ file: String) -> Bool {
        FileManager.default.fileExists(atPath: directory.appendingPathComponent(file).path)
    }

    /// Nil where there is no checkpoint to damage.
    private func damageNewest(_ random: inout SeededGenerator) throws -> String? {
        let checkpoints: [CheckpointReference]
        do throws(LogError) {
            checkpoints = try ScannedLog.scan(
                POSIXFileSystem(directory.path), mode: .readOnly
            ).manifest.checkpoints
        } catch {
            // A compaction after the other has removed what was to be read.
            return nil
        }
        guard checkpoints.count == 2 else { return nil }
        let file = checkpoints[0].file.text
        let url = directory.appendingPathComponent(file)
        guard let handle = try? FileHandle(forUpdating: url) else { return nil }
        defer { try? handle.close() }
        let length = try handle.seekToEnd()
        let place = UInt64.random(in: 0..<length, using: &random)
        try handle.seek(toOffset: place)
        guard let byte = try handle.read(upToCount: 1)?.first else { return nil }
        try handle.seek(toOffset: place)
        try handle.write(contentsOf: [byte ^ UInt8(1 << random.below(8))])
        return file
    }
}
