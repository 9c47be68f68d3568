/// What Varve sets out to reach.
struct Target {
    let figure: Figure
    let rule: Rule
    /// What has to be.
    let least: Double?
    /// What would be better still.
    let reach: Double?

    enum Rule {
        /// Varve is so many times better than an engine.
        case over(EngineName)
        /// Varve's figure is no worse than this.
        case figure
    }

    /// How many users, and as many posts, a figure that is no ratio was stated for.
    static let size = 1_000_000

    /// Whether it compares what was measured in the same run, and so holds at every size.
    var isRatio: Bool {
        if case .over = rule { return true }
        return switch figure.description.unit {
        case .times, .gain, .advantage: true
        default: false
        }
    }

    static let all: [Target] = [
        .init(.load, .over(.sqlite), 3), .init(.load, .over(.lmdb), 1.5),
        .init(.load, .figure, nil, reach: 1e6),
        .init(.commit, .over(.leveldb), 1), .init(.commit, .over(.lmdb), nil, reach: 1.5),
        .init(.duel, .over(.rocksdb), 1.3), .init(.duel, .over(.limit), nil, reach: 0.85),
        .init(.writersGain, .figure, 8), .init(.tasksGain, .figure, 8),
        .init(.pointRead, .over(.lmdb), 1.5), .init(.pointRead, .over(.limit), nil, reach: 0.8),
        .init(.openedRead, .over(.lmdb), 1.5),
        .init(.ageRange, .over(.lmdb), 5), .init(.ageRange, .figure, nil, reach: 1e7),
        .init(.openedRange, .over(.lmdb), 5), .init(.openedRange, .figure, nil, reach: 1e7),
        .init(.open, .figure, 1_200, reach: 300),
        .init(.replay, .figure, 1e6, reach: 3e6),
        .init(.snapshotSave, .figure, 5, reach: 3.5),
        .init(.snapshotSaveIndexed, .figure, 14, reach: 8),
        .init(.update, .over(.leveldb), 2, reach: 4),
        .init(.size, .over(.rocksdb), 2, reach: 1 / 0.35),
        .init(.sizeSmallest, .over(.rocksdb), 2, reach: 1 / 0.35),
        .init(.writtenRatio, .figure, 1.2, reach: 1.05),
        .init(.churn, .over(.rocksdb), 3, reach: 5),
        .init(.memoryRatio, .figure, 3, reach: 2),
        .init(.nested, .figure, 0.35, reach: 0.07),
        .init(.undoRatio, .figure, 1.1),
        .init(.compactingRatio, .figure, 3, reach: 1.5),
        .init(.history, .figure, 5, reach: 1),
        .init(.firstUndo, .figure, 2, reach: 0.5),
    ]

    private init(_ figure: Figure, _ rule: Rule, _ least: Double?, reach: Double? = nil) {
        self.figure = figure
        self.rule = rule
        self.least = least
        self.reach = reach
    }
}
