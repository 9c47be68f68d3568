import Foundation
import Synchronization
import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// A state goes on with an image of one of its versions, and keeps what was changed since.
@Suite("Rebased states")
struct RebaseTests {
    private static func memory(changedBytesMax: Int = 0) -> ReplayMemory {
        ReplayMemory(unchangedBytesMax: 0, changedBytesMax: changedBytesMax) { UnnamedFile.open() }
    }

    /// What pages may take that are changed; nil for no limit: then places of the image are used again. With some, spans
    /// between the blocks of an image are used as well.
    private static let limits: [Int?] = [nil, 0, 48 << 10, 1 << 20]

    @Test(
        "A state that goes on with one image after the other is equal to one without images",
        arguments: 1...6, limits)
    func histories(seed: Int, limit: Int?) throws {
        let memory = limit.map { Self.memory(changedBytesMax: $0) }
        var kept = StateHistory(seed: seed)
        var followed = StateHistory(seed: seed)
        followed.move(to: State(memory: memory))
        var base: StoredImage?
        for round in 0..<8 {
            let count = round % 3 * 4 + seed % 3
            try kept.advance(20)
            try followed.advance(20)
            let atImage = StateContent(kept.state)
            let plan = ImagePlan(followed.state, base: base)
            let point = RebasePoint(plan)
            try kept.advance(count)
            try followed.advance(count)
            followed.state.store.evictBlocks()
            // Written while the state goes on.
            var sink = MemoryBlocks()
            _ = try plan.write(to: &sink)
            let opened = try State.open(MemorySource(sink.bytes), memory: memory)
            #expect(StateContent(opened.state) == atImage, "seed \(seed), round \(round)")
            let former = followed.state
            let rebased = point.rebase(former, onto: opened.state)
            #expect(StateContent(rebased) == StateContent(kept.state), "seed \(seed), \(round)")
            #expect(StateContent(former) == StateContent(kept.state), "seed \(seed), \(round)")
            #expect(StateContent(opened.state) == atImage, "seed \(seed), round \(round)")
            #expect(rebased.damage == nil && opened.image.damage() == nil)
            followed.move(to: rebased)
            base = opened.image
        }
        #expect(try followed.state.digest() == kept.digest(), "seed \(seed)")
    }

    @Test("A thread writes the image while another one changes the state", arguments: 1...3)
    func threads(seed: Int) throws {
        let memory = Self.memory(changedBytesMax: 48 << 10)
        var history = StateHistory(seed: seed)
        history.move(to: State(memory: memory))
        try history.advance(40)
        let (bytes, _, _) = try history.state.image()
        let (state, base) = try State.open(MemorySource(bytes), memory: memory)
        history.move(to: state)
        try history.advance(20)
        let atImage = StateContent(history.state)
        let plan = ImagePlan(history.state, base: base)
        let point = RebasePoint(plan)
        let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let written = Mutex<[UInt8]?>(nil)
        Thread.detachNewThread {
            defer { hasEnded.signal() }
            do {
                var (sink, writing) = (MemoryBlocks(), ImageWriting(plan))
                var goesOn = try writing.advance(to: &sink)
                hasBegun.signal()
                while goesOn { goesOn = try writing.advance(to: &sink) }
                _ = try writing.finish(to: &sink)
                written.withLock { [bytes = sink.bytes] in $0 = bytes }
            } catch {
                Issue.record(error)
                hasBegun.signal()
            }
        }
        hasBegun.wait()
        for _ in 0..<60 {
            try history.advance(1)
            history.state.store.evictBlocks()
            history.reclaim()
        }
        hasEnded.wait()
        let image = try #require(written.withLock { $0 })
        let opened = try State.open(MemorySource(image), memory: memory)
        #expect(StateContent(opened.state) == atImage, "seed \(seed)")
        let rebased = point.rebase(history.state, onto: opened.state)
        #expect(StateContent(rebased) == StateContent(history.state), "seed \(seed)")
    }

    @Test("Rows that two transactions have set are noted together, up to a number")
    func setRows() throws {
        let types = [UserLog.type]
        var (first, second) = (SetRows(of: types), SetRows(of: types))
        first.note(Slot(3), in: 0)
        second.note(Slot(1), in: 0)
        second.note(Slot(3), in: 0)
        second.note(Slot(1), in: 7)
        first.formUnion(second)
        #expect(first[UserLog.type] == [Slot(1), Slot(3)] && first.types == types)
        var many = SetRows(of: types)
        for slot in 0..<20_000 { many.note(Slot(UInt32(slot)), in: 0) }
        #expect(many.areTooMany)
        first.formUnion(many)
        #expect(first.areTooMany && first.types.isEmpty)
        many.formUnion(second)
        #expect(many.areTooMany)
    }

    @Test("What was made since is copied, and unchanged blocks of the image go into the next one")
    func copies() throws {
        let memory = Self.memory()
        var state = State(memory: memory)
        let definition = try UserLog.transaction(behind: state) {
            try $0.define(UserLog.definition)
        }
        state = try UserLog.add(0..<4_000, to: UserLog.apply(definition, to: state))
        let plan = ImagePlan(state)
        let point = RebasePoint(plan)
        var sink = MemoryBlocks()
        _ = try plan.write(to: &sink)
        state = try UserLog.add(4_000..<4_001, to: state)
        let (image, stored) = try State.open(MemorySource(sink.bytes), memory: memory)
        let pageCount = image.store.pageCount
        let rebased = point.rebase(state, onto: image)
        #expect(rebased.lastTransaction == state.lastTransaction)
        // A leaf, a bucket, and the nodes above them; no block was read for that.
        #expect((1...12).contains(rebased.store.pageCount - pageCount))
        #expect(rebased.loadedBytes == 0)
        let next = try rebased.image(on: stored)
        #expect(next.figures.copiedBlocks > next.figures.writtenBlocks)
        #expect(try State.open(MemorySource(next.bytes)).state.digest() == state.digest())
    }
}
