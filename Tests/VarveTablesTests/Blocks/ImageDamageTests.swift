import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

@Suite("Damaged images")
struct ImageDamageTests {
    /// What reading all of a damaged image comes to.
    enum Outcome: Equatable {
        case refused
        case damaged
        case read(StateContent)

        init(_ source: MemorySource, memory: ReplayMemory? = nil) throws {
            do {
                let state = try State.open(source, memory: memory).state
                self = .read(try state.reading { StateContent(state) })
            } catch is ImageError {
                self = .refused
            } catch is StateReadError<Never> {
                self = .damaged
            }
        }
    }

    private static func smallState() throws -> State {
        var history = StateHistory(seed: 3)
        try history.advance(25)
        return history.state
    }

    @Test("Every byte changed in turn gives an error, and never another content")
    func bytes() throws {
        let state = try Self.smallState()
        let (bytes, image, _) = try state.image()
        let expected = StateContent(state)
        let blockBytes = Int(image.root.directory.totals.storedBytes)
        for position in bytes.indices {
            var damaged = bytes
            damaged[position] ^= UInt8(1 << (position % 8))
            let memory = position % 2 == 0 ? nil : PageGenerationTests.memory()
            let outcome = try Outcome(MemorySource(damaged), memory: memory)
            #expect(outcome == (position < blockBytes ? .damaged : .refused), "\(position)")
        }
        #expect(try Outcome(MemorySource(bytes)) == .read(expected))
    }

    @Test("An image that is cut anywhere is refused")
    func cuts() throws {
        let (bytes, _, _) = try Self.smallState().image()
        for count in bytes.indices {
            #expect(try Outcome(MemorySource([UInt8](bytes[..<count]))) == .refused, "\(count)")
        }
    }

    @Test("A damaged block is named, with what was expected and found, and others are read")
    func places() throws {
        let state = try UserLog.state(count: 5_000)
        let (bytes, image, _) = try state.image()
        let blocks = try image.root.directory.allBlocks()
        let position = try #require(
            blocks.lastIndex { $0.run.kind == PageKind(.rowLeaf) && $0.liveFrames > 5 })
        let block = blocks[position]
        var damaged = bytes
        damaged[Int(block.offset) + block.storedCount / 2] ^= 0x40
        let opened = try State.open(MemorySource(damaged)).state
        var readCount = 0
        for number in 0..<5_000 {
            let id = UserLog.id(number)
            do {
                let row = try opened.reading {
                    id.withUnsafeBytes { id in
                        opened.entry(of: UserLog.type, id: id).map { [UInt8]($0.row) }
                    }
                }
                let found = try #require(row)
                #expect(found.starts(with: UserLog.name(number)))
                readCount += 1
            } catch StateReadError<Never>.damaged(let damage) {
                guard case .checksum(let place, let expected, let found) = damage else {
                    Issue.record("\(damage)")
                    continue
                }
                #expect(place == block.place && expected == block.checksum && found != expected)
            }
        }
        #expect(readCount > 4_000 && readCount < 5_000)
        #expect(opened.health?.damages.count == 1)
        #expect(State.damageOf(image, in: damaged) == opened.health?.damages.first)
    }

    @Test("Reads that fail or are short give an error, and the next attempt succeeds")
    func failingReads() throws {
        let state = try Self.smallState()
        let (bytes, image, _) = try state.image()
        let expected = StateContent(state)
        let readCount = try {
            let source = MemorySource(bytes)
            _ = try Outcome(source)
            return source.ranges.count
        }()
        #expect(readCount > 10)
        for fault in [MemorySource.Fault.failure, .shortRead] {
            for number in 0..<readCount {
                let source = MemorySource(bytes)
                source.setFault { $0 == number ? fault : nil }
                guard let state = try? State.open(source).state else {
                    #expect(number < 2 + image.root.directory.chunks.count)
                    continue
                }
                #expect(throws: StateReadError<Never>.self, "\(number)") {
                    try state.reading { StateContent(state) }
                }
                #expect(try state.reading { StateContent(state) } == expected, "\(number)")
            }
        }
    }

    @Test(
        "What a transaction makes of pages that it could not read is no state, and a rollback leaves it"
    )
    func transactions() throws {
        var history = StateHistory(seed: 8)
        try history.advance(30)
        let (bytes, image, _) = try history.state.image()
        let logged = try history.next()
        let expected = StateContent(history.state)
        var metCount = 0
        for block in try image.root.directory.allBlocks() {
            var damaged = bytes
            damaged[Int(block.offset)] ^= 1
            let state = try State.open(MemorySource(damaged)).state
            let transaction = StateTransaction(state)
            _ = try? logged.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
            let met = transaction.damage
            let next = transaction.publish()
            #expect(next.damage == met)
            if met != nil {
                metCount += 1
                #expect(throws: StateReadError<Never>.self) { try next.reading {} }
                #expect(throws: ImageError.self) { try next.image() }
            }
        }
        #expect(metCount > 0)
        // Reads that fail once: the transaction is rolled back, and then succeeds.
        let source = MemorySource(bytes)
        let state = try State.open(source).state
        source.setFault { _ in .failure }
        let transaction = StateTransaction(state)
        _ = try? logged.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
        #expect(transaction.damage != nil)
        transaction.rollBack()
        source.setFault(nil)
        #expect(try state.reading { StateContent(state) } == expected)
    }

    @Test("A block that is damaged in the image before is not copied into the next")
    func damagedBase() throws {
        let state = try UserLog.state(count: 3_000)
        var sink = MemoryBlocks()
        let written = try ImagePlan(state).write(to: &sink)
        var damaged = sink.bytes
        damaged[10] ^= 1
        let changed = try UserLog.update(2_000..<2_010, of: state)
        #expect(throws: ImageError.self) {
            try changed.image(on: written.stored(in: MemorySource(damaged)))
        }
    }

    @Test("A block whose pages are all gone is not read for the next image")
    func goneBlocks() throws {
        let state = try UserLog.state(count: 3_000)
        let (bytes, base, _) = try state.image()
        let leaves = try base.root.directory.allBlocks().filter {
            $0.run.kind == PageKind(.rowLeaf)
        }
        #expect(leaves.count > 5)
        var damaged = bytes
        for block in leaves { damaged[Int(block.offset)] ^= 1 }
        let changed = try UserLog.update(0..<3_000, of: state)
        let source = MemorySource(damaged)
        let damagedBase = StoredImage(source, base.root, base.departures)
        let (next, _, _) = try changed.image(on: damagedBase)
        let starts = Set(source.ranges.map(\.lowerBound))
        #expect(starts.isDisjoint(with: leaves.map(\.offset)))
        let opened = try State.open(MemorySource(next)).state
        #expect(try opened.reading { StateContent(opened) } == StateContent(changed))
    }

    @Test("A sink that fails at any append gives its error")
    func failingSinks() throws {
        let state = try Self.smallState()
        for append in 0..<5 {
            var sink = MemoryBlocks()
            sink.failingAppend = append
            #expect(throws: ImageError.self) { try ImagePlan(state).write(to: &sink) }
        }
        _ = try state.image()
    }
}

extension State {
    /// What a look at all blocks finds.
    fileprivate static func damageOf(_ image: StoredImage, in bytes: [UInt8]) -> PageDamage? {
        StoredImage(MemorySource(bytes), image.root, image.departures).damage()
    }
}
