import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

extension ImageForgeryTests {
    /// Eleven rows have a last leaf of three.
    private static let (rowCount, lastLeafCount) = (11, 3)

    /// The image of ``rowCount`` rows whose last leaf says that it has `count`. Those that there are not end where the
    /// content does, as those of a leaf without them are read.
    private static func image(lastLeaf count: Int) throws -> [UInt8] {
        var image = try ForgedImage(UserLog.state(count: rowCount).image())
        let geometry = RowLeaf.Geometry.standard
        for block in image.blocks.indices
        where image.blocks[block].entry.run.kind == PageKind(.rowLeaf) {
            let size = image.blocks[block].entry.run.frameBytes
            for frame in 0..<image.blocks[block].entry.storedFrames {
                let raw = image.blocks[block].raw[frame * size..<(frame + 1) * size]
                let start = raw.startIndex
                guard raw[start + 12] == lastLeafCount else { continue }
                image.store(UInt32(count), block, frame, at: 12)
                let ends = start + geometry.ends
                let last = raw[ends + 2 * (lastLeafCount - 1)..<ends + 2 * lastLeafCount]
                for index in lastLeafCount..<geometry.slotCount {
                    image.blocks[block].raw.replaceSubrange(
                        ends + 2 * index..<ends + 2 * (index + 1), with: last)
                }
                return try image.bytes()
            }
        }
        Issue.record("there is no last leaf")
        return []
    }

    /// A new user with a long id, a mention, and more users than the last leaf takes.
    ///
    /// - Parameter changesLast: whether the last leaf is changed before, so that it is the transaction's own.
    private static func insertions(behind state: State, changesLast: Bool) throws -> [UInt8] {
        let (number, type) = (8, UserLog.type)
        let entry = UserLog.id(number).withUnsafeBytes { state.entry(of: type, id: $0) }
        let last = try #require(entry)
        let version = try #require(last.version)
        return UserLog.transaction(behind: state) { encoder in
            if changesLast {
                let entity = encoder.entity(type, bytes: UserLog.id(number))
                encoder.delete(
                    entity, keepsTombstone: false, ordinal: Ordinal(last.stamps.ordinal),
                    previous: version, row: [UInt8](last.row))
                encoder.insert(
                    entity, ordinal: Ordinal(last.stamps.ordinal),
                    row: UserLog.row(number, age: 99))
            }
            let long = UserLog.id(String(repeating: "x", count: 150))
            encoder.insert(
                encoder.entity(type, bytes: long), ordinal: Ordinal(50),
                row: UserLog.row(50, age: 50))
            _ = encoder.entity(type, bytes: UserLog.id(51))
            for number in 52..<58 {
                encoder.insert(
                    encoder.entity(type, bytes: UserLog.id(number)),
                    ordinal: Ordinal(UInt64(number)), row: UserLog.row(number, age: number))
            }
        }
    }

    @Test(
        "A last leaf that counts other slots than its table has is damage as soon as others follow",
        arguments: 0...8, [false, true])
    func lastLeaf(count: Int, changesLast: Bool) throws {
        let state = try UserLog.state(count: Self.rowCount)
        let logged = try Self.insertions(behind: state, changesLast: changesLast)
        let opened = try State.open(MemorySource(try Self.image(lastLeaf: count))).state
        let transaction = StateTransaction(opened)
        var error: (any Error)?
        do {
            try logged.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
        } catch let found {
            error = found
        }
        let changed = transaction.publish()
        if count == Self.lastLeafCount {
            #expect(error == nil)
            let expected = try UserLog.apply(logged, to: state)
            #expect(try changed.reading { StateContent(changed) } == StateContent(expected))
            return
        }
        #expect(error == nil || error is ReplayError)
        // An event may say that its entity is not there, before another one follows.
        #expect(error != nil || changed.damage == .contradiction)
        // Neither traps, whatever they come to.
        _ = StateContent(changed)
        _ = try? changed.image()
    }
}

extension ImageForgeryTests {
    @Test("A root that counts too few live entities is damage once more of them are deleted")
    func tooFewLive() throws {
        let (bytes, image, _) = try UserLog.state(count: 11).image()
        var root = image.root
        root.state.tables[0].parts.liveCount = 1
        let end = root.directory.endOffset
        let forged = [UInt8](bytes[..<Int(end)]) + (try root.encode(at: end)).copyBytes()
        let opened = try State.open(MemorySource(forged)).state
        let changed = try UserLog.delete(0..<3, of: opened)
        _ = try? changed.image()
        #expect(changed.damage == .contradiction)
    }
}

extension ImageForgeryTests {
    /// Changes by a little what some page that new entities and links go to counts.
    private static func forgeCount(
        of image: inout ForgedImage, _ generator: inout SeededGenerator
    ) {
        let found = image.blocks.indices.filter { index in
            switch image.blocks[index].entry.run.kind.structure {
            case .rowLeaf, .linkLeaf, .idBucket, .listPage: true
            default: false
            }
        }
        guard let block = found.randomElement(using: &generator) else { return }
        let run = image.blocks[block].entry.run
        let frame = generator.below(image.blocks[block].entry.storedFrames)
        // A leaf of links has a count for each of 16 holders.
        let isLinks = run.kind == PageKind(.linkLeaf)
        let offset = isLinks ? Page.headerBytes + 4 * generator.below(16) : 12
        let position = frame * run.frameBytes + offset
        let count = Int(image.blocks[block].raw[position]) + generator.below(9) - 4
        image.store(UInt32(max(count, 0)), block, frame, at: offset)
    }

    @Test(
        "Counts of pages changed, and several transactions of the log in one of the engine",
        arguments: TestSize.choose(1...20, nightly: 1...200))
    func counts(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed) << 16)
        var history = StateHistory(seed: seed)
        try history.advance(30)
        let image = try ForgedImage(history.state.image())
        var log: [[UInt8]] = []
        for _ in 0..<8 { log.append(try history.next()) }
        for _ in 0..<12 {
            var forged = image
            for _ in 0...generator.below(3) { Self.forgeCount(of: &forged, &generator) }
            guard let state = try? State.open(MemorySource(try forged.bytes())).state else {
                continue
            }
            let transaction = StateTransaction(state)
            for bytes in log {
                do {
                    try bytes.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
                } catch {
                    #expect(error is ReplayError, "seed \(seed)")
                    break
                }
            }
            let changed = transaction.publish()
            _ = StateContent(changed)
            _ = try? changed.image()
        }
    }
}
