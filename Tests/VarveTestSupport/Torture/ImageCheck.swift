package import VarveLog

/// Opens a state of a disk as a program would after a power cut, and holds everything against the
/// rules: the numbers are those of the invariants in Docs/TESTING.md.
package struct ImageCheck {
    package let image: DiskImage
    /// Salts of an opening after the crash are never those of before.
    private static let seed: UInt64 = 77

    package init(_ image: DiskImage) { self.image = image }

    /// What opening for writing came to.
    package struct Recovered {
        /// How many transactions are there.
        package let count: Int
        package let report: RecoveryReport
        /// The disk behind it; its operations are those of the recovery.
        package let disk: SimulatedDisk
    }

    /// I2 to I5, I7 and I8: it opens with a prefix, says what it dropped and leaves no leftovers.
    package func recover() throws(CheckFailure) -> Recovered {
        let disk = SimulatedDisk(image)
        return try CheckFailure.breaking(.i4, "it is refused") {
            let opened = try CompactionLog(disk, seed: Self.seed).open()
            opened.log.abandon()
            try check(opened, on: disk)
            return Recovered(
                count: opened.payloads.count, report: opened.report, disk: disk)
        }
    }

    private func check(_ opened: CompactionLog.Opened, on disk: SimulatedDisk) throws {
        try rule(.i2, Self.isPrefix(opened.payloads), "a transaction is not what was written")
        try rule(
            .i4, opened.report.checkpointProblems.isEmpty,
            "\(opened.report.checkpointProblems)")
        if let dropped = opened.report.dropped {
            let tail = tail(dropped)
            let kept = dropped.keptAs.flatMap { disk.image.files[$0] }
            try rule(
                .i8, dropped.bytes.rawValue == UInt64(tail.count) && kept == Array(tail),
                "the dropped bytes are not those that were reported and kept")
            let unused = behind(dropped).dropFirst(tail.count)
            try rule(
                .i8,
                unused.allSatisfy { $0 == 0 }
                    && opened.report.unusedBytes == ByteCount(UInt64(unused.count)),
                "more was dropped than was reported")
        }
        try checkNames(disk, opened.log.manifest)
    }

    /// The bytes that a report speaks of.
    package func tail(_ dropped: RecoveryReport.DroppedTail) -> ArraySlice<UInt8> {
        behind(dropped).prefix(Int(dropped.bytes.rawValue))
    }

    /// Everything behind the cut.
    private func behind(_ dropped: RecoveryReport.DroppedTail) -> ArraySlice<UInt8> {
        let name = StoreFileName.segment(dropped.segment).text
        return image.files[name, default: []].dropFirst(Int(dropped.offset.rawValue))
    }

    private func checkNames(_ disk: SimulatedDisk, _ manifest: Manifest) throws {
        let kept = Set(manifest.checkpoints.map(\.number))
        for name in disk.image.files.keys where !name.hasPrefix("lost/") {
            let belongs =
                switch StoreFileName(name) {
                case .lock: true
                case .manifest(let generation): generation == manifest.generation
                case .segment(let segment): segment >= manifest.firstSegment
                case .checkpoint(let number): kept.contains(number)
                case .lost, .assets, .temporary, nil: false
                }
            try rule(.i7, belongs, "\(name) was left over")
        }
    }

    /// Everything else: readers, a second opening, writing, and, where asked for, a compaction.
    package func examine(compacting: Bool) throws(CheckFailure) -> Recovered {
        let recovered = try recover()
        try CheckFailure.breaking(.i15, "a reader") { try checkReaders(recovered.count) }
        try CheckFailure.breaking(.i6, "behind recovery") {
            try checkAgain(recovered, compacting)
        }
        return recovered
    }

    /// I10 and I15: a reader finds the same, changes nothing, and verification agrees.
    private func checkReaders(_ count: Int) throws {
        let disk = SimulatedDisk(image)
        do {
            let read = try CompactionLog(disk, seed: Self.seed).read()
            try rule(
                .i15, read.payloads.count == count && Self.isPrefix(read.payloads),
                "a reader finds others, \(read.payloads.count)")
            let verification = try LogVerification.verify(disk)
            try rule(.i15, verification.isSound, "verification: \(verification.problems)")
        } catch LogError.missing(let directory) {
            // No store yet: its creation was interrupted.
            guard count == 0 else { throw LogError.missing(directory: directory) }
        }
        try rule(.i10, disk.operations.isEmpty, "a reader changed the disk")
    }

    /// I5, I6, I12 and I14: a second opening drops nothing; writing and compacting go on.
    private func checkAgain(_ recovered: Recovered, _ compacting: Bool) throws {
        let again = SimulatedDisk(recovered.disk.image, reserving: 256)
        let store = CompactionLog(again, seed: Self.seed + 1)
        let second = try store.open()
        let report = second.report
        try rule(
            .i5,
            second.payloads.count == recovered.count && Self.isPrefix(second.payloads)
                && report.dropped == nil && report.temporaryFiles.isEmpty
                && report.orphans.isEmpty,
            "the second recovery differs: \(report)")
        var count = recovered.count
        if compacting {
            try CompactionLog.compact(second.log, LogPayload.first(count))
        }
        for _ in 0..<2 {
            count += 1
            try second.log.append(LogPayload.of(count))
            try second.log.sync()
        }
        try second.log.close()
        let third = try store.read()
        try rule(
            .i6, third.report.endedCleanly && third.payloads.count == count,
            "writing after recovery failed")
        try rule(.i12, Self.isPrefix(third.payloads), "a transaction changed")
    }

    static func isPrefix(_ payloads: [[UInt8]]) -> Bool {
        for (index, payload) in payloads.enumerated() where payload != LogPayload.of(index + 1) {
            return false
        }
        return true
    }

    private func rule(
        _ rule: Rule, _ holds: Bool, _ what: @autoclosure () -> String
    ) throws {
        if !holds { throw CheckFailure(rule, what()) }
    }
}
