import VarveTestSupport

/// The workloads whose every crash point is enumerated.
enum FixedWorkloads {
    static let all: [[LogStep]] = [
        [],
        [.commit, .commit, .commit],
        [.append, .append, .commit],
        [.append, .append, .append, .append, .append],
        [.commit, .seal, .append, .seal],
        [.append, .seal, .append, .commit, .seal],
        [.commit, .reopen, .commit, .reopen],
        [.append, .kill, .append],
        [.append, .kill, .kill, .commit],
        [.reopen, .reopen, .kill, .commit],
        [.roll, .commit],
        [.roll, .roll, .append],
        [.commit, .roll, .kill, .commit],
        [.roll, .reopen, .append],
        [.reopen, .roll, .commit, .reopen],
        [.commit, .append, .append, .roll, .append, .kill, .append],
        [.commit, .failedAppend, .append, .commit],
        [.commit, .commit, .commit, .failedAppend, .append, .commit],
        [.append, .failedAppend, .failedAppend, .kill, .commit],
        [.commit, .append, .failedSync, .commit],
        [.append, .failedSync, .append, .failedSync, .roll],
        [.commit, .failedClose, .commit, .commit],
        // The fifth takes three frames: behind a clean seal, and behind a forgotten one.
        [.commit, .commit, .commit, .commit, .reopen, .append, .kill, .commit],
        [.commit, .reopen, .failedAppend, .commit],
        [.commit, .append, .failedClose, .append, .kill, .commit],
        [.commit, .compact, .commit],
        [.roll, .compact, .append, .compact, .commit],
        [.roll, .roll, .compactKeeping, .roll, .compactKeeping, .commit],
        [.roll, .compact, .kill, .append, .compact, .reopen, .compact],
        [.roll, .compact, .append, .compactForSize, .commit, .compact],
        [.compactForSize, .roll, .compactForSize, .compactForSize, .commit],
        [.compact, .roll, .compact, .failedSync, .compact, .commit],
        [.commit, .append, .displaced, .commit, .roll],
        [.commit, .roll, .compact, .append, .displaced, .append, .compact, .commit],
        [.follow, .commit, .follow, .roll, .follow, .kill, .follow, .commit],
        [.follow, .roll, .compact, .follow, .roll, .compact, .follow, .reopen, .follow],
    ]

    /// The steps of which all short sequences are tried.
    static let alphabet: [LogStep] = [
        .commit, .append, .roll, .compact, .reopen, .kill, .seal, .follow,
    ]

    /// All sequences of at most so many steps.
    static func small(upTo length: Int) -> [[LogStep]] {
        var all: [[LogStep]] = []
        var longest: [[LogStep]] = [[]]
        for _ in 0..<length {
            longest = longest.flatMap { start in alphabet.map { start + [$0] } }
            all += longest
        }
        return all
    }

    static func random(seed: UInt64) -> [LogStep] {
        var generator = SeededGenerator(seed: seed)
        let steps = LogStep.allCases + [.commit, .commit, .append, .append, .append]
        return (0..<Int.random(in: 4...9, using: &generator)).map { _ in
            steps.randomElement(using: &generator) ?? .commit
        }
    }
}
