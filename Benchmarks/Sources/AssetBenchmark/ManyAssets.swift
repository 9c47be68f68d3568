import BenchmarkSupport
import Foundation
import Varve

/// Many assets, in turns with as many plain files of the same bytes.
struct ManyAssets {
    private let count: Int
    private let byteCount: Int
    /// Assets in a transaction.
    private let batch: Int
    private let url: URL
    private let copy: URL
    private let files: PlainFiles

    init(count: Int, byteCount: Int, batch: Int, in directory: URL) throws {
        (self.count, self.byteCount, self.batch) = (count, byteCount, batch)
        url = directory.appending(path: "many.varve")
        copy = directory.appending(path: "copy.varve")
        files = try PlainFiles(in: directory.appending(path: "files"))
    }

    private var megabytes: Double { Double(count) * Double(byteCount) / 1e6 }

    func measure() async throws {
        let store = try Store.measured(at: url)
        defer { for place in [url, copy] { try? FileManager.default.removeItem(at: place) } }
        try write(store)
        try readWhole(store)
        try readRanges(store)
        try files.remove()
        try await replace(store)
        try check(store, contents: count)
        try undo(store)
        try compact(store)
        try backUp(store)
        try check(store, contents: 0)
        try store.close()
    }

    // MARK: - Writing

    private func write(_ store: Store) throws {
        var (plain, kept) = (0.0, 0.0)
        for numbers in batches {
            plain += try WallClock.seconds {
                for number in numbers { try files.write(content(number)) }
            }
            kept += try WallClock.seconds { try save(numbers, in: store) }
        }
        report("write", kept, beside: plain)
    }

    private func content(_ number: Int) -> Content {
        Content(number: number, byteCount: byteCount)
    }

    private func save(_ numbers: Range<Int>, in store: Store) throws {
        try store.write("Save") { context in
            for number in numbers {
                let image = try Asset<Data>(
                    chunks: content(number), pathExtension: "jpg", in: store)
                try AssetPage(id: number, image: image).save(to: &context)
            }
        }
    }

    private var batches: [Range<Int>] {
        stride(from: 0, to: count, by: batch).map { $0..<min($0 + batch, count) }
    }

    /// Keeps the contents of a batch at once, each by a task of its own: the syncs of several share a write of the file
    /// system's journal.
    private func replace(_ store: Store) async throws {
        let start = ContinuousClock.now
        for numbers in batches {
            let images = try await withThrowingTaskGroup(of: (Int, Asset<Data>).self) { group in
                for number in numbers {
                    let blocks = Content.Blocks(content: content(count + number))
                    group.addTask {
                        let image = try await Asset<Data>(
                            chunks: blocks, pathExtension: "jpg", in: store)
                        return (number, image)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            try await store.write("Replace") { context in
                for number in numbers {
                    try AssetPage(id: number, image: images[number]).save(to: &context)
                }
            }
        }
        report("replace, \(batch) at a time by tasks", WallClock.seconds(since: start))
    }

    private func undo(_ store: Store) throws {
        let seconds = try WallClock.seconds { for _ in batches { try store.undo() } }
        let each = seconds / Double(batches.count) * 1e6
        print("  undo: \(Spread.text(each)) µs a transaction of \(batch)")
    }

    // MARK: - Reading

    private func image(_ number: Int, _ store: Store) throws -> Asset<Data> {
        guard let image = try AssetPage.require(number, in: store.context).image else {
            preconditionFailure("page \(number) has an image")
        }
        return image
    }

    private func readWhole(_ store: Store) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Content.blockBytes, alignment: 4_096)
        defer { buffer.deallocate() }
        var (plain, kept, read) = (0.0, 0.0, 0)
        for number in 0..<count {
            plain += try WallClock.seconds {
                read += try files.read(number, 0..<byteCount, into: buffer)
            }
            kept += try WallClock.seconds {
                try image(number, store).forEachChunk(in: store) { read += $0.count }
            }
        }
        precondition(read == 2 * count * byteCount, "all bytes were read, twice")
        report("read, and compared with the digest", kept, beside: plain)
    }

    /// A part of 64 KB, as long as there is one, at a random place of each.
    private func readRanges(_ store: Store) throws {
        let part = min(1 << 16, byteCount / 2)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: part, alignment: 4_096)
        defer { buffer.deallocate() }
        var random = SplitMix(state: 7)
        var times: (plain: [Double], kept: [Double]) = ([], [])
        for _ in 0..<max(1_000, count) {
            let number = Int.random(in: 0..<count, using: &random)
            let start = Int.random(in: 0...byteCount - part, using: &random)
            let range = start..<start + part
            var read = 0
            times.plain.append(
                try WallClock.seconds { read += try files.read(number, range, into: buffer) })
            times.kept.append(
                try WallClock.seconds {
                    read += try image(number, store).bytes(range, in: store).count
                })
            precondition(read == 2 * part, "all of the part was read, twice")
        }
        let (plain, kept) = (times.plain.percentile(0.5), times.kept.percentile(0.5))
        print(
            "  a part of \(AssetPart.bytes(part)): \(Spread.text(kept * 1e6)) µs,"
                + " a plain file \(Spread.text(plain * 1e6)) µs")
    }

    // MARK: - Housekeeping

    private func compact(_ store: Store) throws {
        var report = try store.compact()
        // The first one keeps what the undos took away for their redo, as long as its checkpoint is there.
        if report.assetsDropped == 0 { report = try store.compact() }
        print(
            "  compact: \(Spread.text(report.duration / .milliseconds(1))) ms,"
                + " \(report.assetsDropped) files dropped")
        precondition(report.assetsDropped == count, "what was undone is dropped: \(report)")
    }

    private func backUp(_ store: Store) throws {
        let seconds = try WallClock.seconds {
            let report = try store.backup(to: copy)
            precondition(report.assets == count && report.damagedAssets.isEmpty, "\(report)")
        }
        report("back up", seconds)
    }

    /// Each page has the content that it should have, which its digest tells.
    private func check(_ store: Store, contents first: Int) throws {
        for number in 0..<count {
            let image = try image(number, store)
            let stamp = Data(Content.stamp(first + number, at: 0).utf8)
            let start = try image.bytes(0..<stamp.count, in: store)
            precondition(start == stamp, "page \(number) has its own content")
            var read = 0
            try image.forEachChunk(in: store) { read += $0.count }
            precondition(read == byteCount, "page \(number) has all of it")
        }
    }

    private func report(_ name: String, _ seconds: Double, beside plain: Double? = nil) {
        var line = "  \(name): \(Spread.text(megabytes / seconds)) MB/s"
        if let plain {
            line += ", plain files \(Spread.text(megabytes / plain)) MB/s"
            line += " (\(Spread.ratio(plain / seconds)))"
        }
        print(line)
    }
}
