import Testing
import Varve
import VarveLog
import VarveTestSupport

/// Power cuts between undos, redos and the writes that follow them.
@Suite("Undo steps and power cuts")
struct UndoCrashTests {
    private enum Step {
        case write, undo, redo
    }

    /// The state behind a transaction, with those that undoing and redoing lead to.
    private struct Moment {
        /// From the first undo step's to the last redo step's.
        let states: [String]
        /// Which of them is the present one.
        let present: Int
    }

    /// A store that was driven once, on a disk whose power never failed.
    private struct Recording {
        let disk = SimulatedDisk()
        /// By transaction.
        var moments: [Moment] = []
        /// After how many operations of the disk each transaction was acknowledged.
        var acknowledged: [Int] = []

        func acknowledged(after operations: Int) -> Int {
            acknowledged.lastIndex { $0 <= operations } ?? 0
        }
    }

    private func open(_ disk: SimulatedDisk, seed: UInt64) throws -> Store {
        // Small enough for transactions of several frames and for rolls.
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(3_000)
        configuration.frameBytesMax = ByteCount(200)
        return try Store(
            in: disk, environment: SimulatedEnvironment(seed: seed), configuration: configuration,
            mode: .readWrite, durability: .commit, retention: .everything,
            compactsAutomatically: false, types: [Author.self, Shelf.self])
    }

    private func record(_ steps: [Step]) throws -> Recording {
        var recording = Recording()
        let store = try open(recording.disk, seed: 1)
        var states = [content(store.context)]
        var present = 0
        func note() {
            recording.moments.append(Moment(states: states, present: present))
            recording.acknowledged.append(recording.disk.operations.count)
        }
        note()
        for (number, step) in steps.enumerated() {
            switch step {
            case .write:
                try store.write("step \(number)") { context in
                    try Author(
                        id: "a\(number % 3)", name: "after \(number)",
                        books: .appending(relation: [Book(id: number, title: "book \(number)")])
                    ).save(to: &context)
                }
                present += 1
                // What could be redone is gone with this very transaction.
                states.removeLast(states.count - present)
                states.append(content(store.context))
            case .undo:
                try store.undo()
                present -= 1
            case .redo:
                try store.redo()
                present += 1
            }
            #expect(content(store.context) == states[present], "step \(number)")
            #expect(Int(store.lastTransaction.rawValue) == number + 1)
            note()
        }
        try store.close()
        return recording
    }

    @Test(
        "Row 38: behind a power cut at any moment of undos, redos and writes all steps are those of the model"
    )
    func everyCrash() throws {
        let recording = try record([
            .write, .write, .write, .undo, .undo, .redo, .write, .undo, .redo, .undo, .undo, .write,
            .undo,
        ])
        var random = SeededGenerator(seed: 1)
        var states = CrashStates(recording.disk)
        let memo = ImageMemo()
        for position in 0...states.operations.count {
            let point = states.point(at: position)
            states.advance(to: point)
            let least = recording.acknowledged(after: position)
            var choices = SimulatedDisk.survivals(
                at: point, of: states.operations, using: &random)
            choices.shuffle(using: &random)
            for survivals in choices.prefix(12) {
                let image = states.image(at: point, survivals)
                let last = try memo.find(image.fingerprint) ?? check(image, recording, point)
                memo.note(image.fingerprint, last)
                #expect(last >= least, "power cut after operation \(position), \(survivals)")
            }
        }
    }

    /// Answers the last transaction, after taking every step back and forth.
    private func check(
        _ image: DiskImage, _ recording: Recording, _ point: CrashPoint
    ) throws -> Int {
        let store = try open(SimulatedDisk(image), seed: 9)
        let last = Int(store.lastTransaction.rawValue)
        let moment = try #require(
            recording.moments.indices.contains(last) ? recording.moments[last] : nil)
        let comment: Comment = "power cut after operation \(point.position), transaction \(last)"
        #expect(content(store.context) == moment.states[moment.present], comment)
        for expected in moment.states[..<moment.present].reversed() {
            try store.undo()
            #expect(content(store.context) == expected, comment)
        }
        #expect(!store.canUndo, comment)
        for expected in moment.states.dropFirst() {
            try store.redo()
            #expect(content(store.context) == expected, comment)
        }
        #expect(!store.canRedo, comment)
        return last
    }
}
