import BenchmarkSupport

/// What is measured, in the order of the table.
enum Line: String, CaseIterable {
    case load = "load, one transaction"
    case loadBatches = "load, 500 a transaction"
    case findRow = "find by id, the row's bytes"
    case find = "find by id, the value"
    case scanField = "scan of one field"
    case scan = "scan into values"
    case range = "range of a tenth by age, into values"
    case update = "update of one field, 100 a transaction"
    case save = "update of one field behind a snapshot"
    case indexed = "update of an indexed field behind a snapshot"
    case insert = "new row behind a snapshot"
    case megabytes = "memory of pages, MB"
    case replay = "replay of a log, 500 rows a transaction"
    case linkedReplay = "replay of a user, a post and both sides of their link"
    case stateFind = "find by id in the state of that log, the value"
    case indexInsert = "replay of new rows, one transaction"
    case indexText = "replay of updates of e-mail, at random"
    case indexInteger = "replay of updates of age, at random"
    case indexOther = "replay of updates of another field, at random"
    case indexDelete = "replay of deletions, at random"
    case indexBuild = "make the index of rows in memory"
    case indexStep = "its longest step, ms"
    case indexBuildStored = "make the index of rows in an image"
    case indexStepStored = "its longest step, ms "
    case indexQuick = "an image, quick, MB"
    case indexThorough = "an image, thorough, MB"
    case imageWrite = "write an image, ms"
    case imageMegabytes = "the image, MB"
    case imageRoot = "its root, KB"
    case imageOpen = "open it and find one by id, us"
    case imageFind = "1,000 finds by id then, us each"
    case imageLoaded = "blocks in memory then, MB"
    case imageResident = "memory of the process for it, MB"
    case imageScan = "scan into values, reading the rest"
    case imageFindLoaded = "find by id then, the value"
    case imageFindResident = "find by id in the state before, the value"
    case imageNeighbours = "1 % of rows changed, neighbours: bytes made, MB"
    case imageNeighboursTime = "writing that image, ms"
    case imageScattered = "1 % of rows changed, at random: bytes made, MB"
    case imageScatteredTime = "writing that image, ms "
}

/// The figures of all turns, by line and column.
struct Report {
    private var values: [Line: [String: [Double]]] = [:]
    private var columns: [String] = []

    /// Measures the processor time of this thread for each operation.
    mutating func measure(
        _ line: Line, _ column: String, _ operations: Int, _ body: () -> Void
    ) {
        add(line, column, ThreadClock.time(body) / Double(operations))
    }

    mutating func add(_ line: Line, _ column: String, _ value: Double) {
        if !columns.contains(column) { columns.append(column) }
        values[line, default: [:]][column, default: []].append(value)
    }

    /// Medians, and in brackets how many times the first column's each other one is.
    func print() {
        Swift.print("| | " + columns.joined(separator: " | ") + " |")
        Swift.print("|---|" + columns.map { _ in "---|" }.joined())
        for line in Line.allCases {
            guard let row = values[line] else { continue }
            let medians = columns.map { Spread(row[$0] ?? [])?.median }
            let cells = medians.enumerated().map { position, median in
                guard let median else { return "" }
                guard position > 0, let first = medians[0] else { return Spread.text(median) }
                return "\(Spread.text(median)) (\(Spread.ratio(median / first)))"
            }
            Swift.print("| \(line.rawValue) | " + cells.joined(separator: " | ") + " |")
        }
    }
}
