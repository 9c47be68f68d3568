import BenchmarkSupport
import Glibc
import VarveEvents
import VarveTables

/// Writes images of a state of users, opens them, reads a little, and writes the next ones.
struct ImageTurn {
    private let workload: Workload
    private let log: ReplayTurn

    init(_ workload: Workload, _ log: ReplayTurn) {
        self.workload = workload
        self.log = log
    }

    /// One column for each size of blocks, and each way to compress them.
    func run(blockBytes: Int, _ compression: ImageCompression, _ report: inout Report) {
        let column = "blocks of \(blockBytes >> 10) KiB, \(compression)"
        let file = ImageFile()
        do {
            let state = log.state(blockBytes: blockBytes)
            let plan = ImagePlan(state, compression: compression)
            var rootBytes: UInt64 = 0
            report.measure(.imageWrite, column, 1_000_000) {
                rootBytes = write(plan, to: file).figures.rootBytes
            }
            report.add(.imageRoot, column, Double(rootBytes) / 1e3)
            report.add(.imageMegabytes, column, Double(file.byteCount) / 1e6)
            measureFinds(state, .imageFindResident, column, &report)
        }
        read(file, column, &report)
        change(file, workload.neighbours, .imageNeighbours, .imageNeighboursTime, column, &report)
        change(file, workload.scattered, .imageScattered, .imageScatteredTime, column, &report)
    }

    private func write(_ plan: ImagePlan, to file: ImageFile) -> WrittenImage {
        do throws(ImageError) {
            var sink = file
            return try plan.write(to: &sink)
        } catch {
            preconditionFailure("A benchmark writes its image: \(error)")
        }
    }

    private func open(_ file: ImageFile) -> (state: State, image: StoredImage) {
        do throws(ImageError) {
            return try State.open(file)
        } catch {
            preconditionFailure("A benchmark opens its image: \(error)")
        }
    }

    private func read(_ file: ImageFile, _ column: String, _ report: inout Report) {
        let before = Self.residentBytes
        var opened: State?
        report.measure(.imageOpen, column, 1_000) {
            let state = open(file).state
            _ = log.find(workload.ids.prefix(1), in: state)
            opened = state
        }
        guard let state = opened else { return }
        let ids = workload.ids.prefix(1_001).dropFirst()
        report.measure(.imageFind, column, ids.count * 1_000) { _ = log.find(ids, in: state) }
        report.add(.imageLoaded, column, Double(state.reservedBytes) / 1e6)
        report.add(.imageResident, column, Double(Self.residentBytes - before) / 1e6)
        report.measure(.imageScan, column, workload.users.count) { _ = log.scan(state) }
        measureFinds(state, .imageFindLoaded, column, &report)
    }

    private func measureFinds(
        _ state: State, _ line: Line, _ column: String, _ report: inout Report
    ) {
        var sum = 0
        report.measure(line, column, workload.ids.count) {
            sum = log.find(workload.ids[...], in: state)
        }
        workload.check(.find, sum)
    }

    /// Each time of the image as it is in the file.
    private func change(
        _ file: ImageFile, _ users: [BenchmarkUser], _ bytes: Line, _ time: Line,
        _ column: String, _ report: inout Report
    ) {
        let (opened, image) = open(file)
        let changed = log.save(users, in: opened)
        let plan = ImagePlan(changed, base: image)
        let next = ImageFile()
        var written: UInt64 = 0
        report.measure(time, column, 1_000_000) {
            let figures = write(plan, to: next).figures
            written = figures.writtenBytes + figures.rootBytes
        }
        report.add(bytes, column, Double(written) / 1e6)
    }

    /// Of the process.
    private static var residentBytes: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let text = String(
            decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let words = text.split(separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? 0) * Int(getpagesize()) : 0
    }
}
