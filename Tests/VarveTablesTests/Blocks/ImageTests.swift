import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

@Suite("Images of states")
struct ImageTests {
    @Test("A state is read again as it was, and goes on as it would have", arguments: 1...25)
    func roundTrip(seed: Int) throws {
        var history = StateHistory(seed: seed)
        try history.advance(20 + 4 * seed)
        let expected = StateContent(history.state)
        let (bytes, _, _) = try history.state.image()
        let (opened, image) = try State.open(MemorySource(bytes))
        #expect(try opened.reading { StateContent(opened) } == expected, "seed \(seed)")
        #expect(try opened.reading { try opened.digest() } == history.digest(), "seed \(seed)")
        #expect(image.damage() == nil)
        #expect(opened.health?.damages == [])
        history.reclaim()
        #expect(opened.store.pageCount == history.state.store.pageCount, "seed \(seed)")

        history.move(to: try State.open(MemorySource(bytes)).state)
        try history.advance(30)
        let state = history.state
        #expect(try state.reading { try state.digest() } == history.digest(), "seed \(seed)")
    }

    @Test("Images upon images hold what the state holds, and states before stay", arguments: 1...15)
    func successiveImages(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var history = StateHistory(seed: seed)
        try history.advance(40)
        var (_, base, _) = try history.state.image()
        var held: [(state: State, content: StateContent)] = []
        for round in 0..<12 {
            if generator.chance(3) { held.append((history.state, StateContent(history.state))) }
            try history.advance(generator.below(8))
            let expected = StateContent(history.state)
            let plan = ImagePlan(history.state, base: base)
            // What comes behind the plan is not in the image.
            if generator.chance(2) { try history.advance(3) }
            var sink = MemoryBlocks()
            let written = try plan.write(to: &sink)
            let source = MemorySource(sink.bytes)
            base = written.stored(in: source)
            let (opened, image) = try State.open(MemorySource(sink.bytes))
            #expect(
                try opened.reading { StateContent(opened) } == expected,
                "seed \(seed), round \(round)")
            #expect(image.damage() == nil)
            if plan.state.lastTransaction == history.state.lastTransaction, generator.chance(3) {
                // The store is closed and opened again.
                history.move(to: opened)
                base = image
                held = []
            }
        }
        for version in held {
            let content = try version.state.reading { StateContent(version.state) }
            #expect(content == version.content, "seed \(seed), held")
        }
    }

    @Test("A state whose rows are in their newest layouts says the same", arguments: 1...15)
    func newestLayouts(seed: Int) throws {
        var history = StateHistory(seed: seed)
        try history.advance(60)
        let digest = try history.state.digest()
        let last = history.state.lastTransaction
        let isRewritten = NewestRows(of: history.state, ofRevisionsBehind: last) != nil
        #expect(!isRewritten)
        var state = history.state
        if var rows = NewestRows(of: state, ofRevisionsBehind: TransactionID(0)) {
            while rows.advance() {}
            state = rows.finish()
        }
        #expect(try state.digest() == digest, "seed \(seed)")
        for table in state.tables {
            var cursor = table.rows.cursor(in: state.pages)
            while let entry = cursor.nextEntry() {
                if !entry.presence.hasRow { continue }
                #expect(entry.revision == table.currentRevision, "seed \(seed)")
            }
        }
        let (bytes, _, _) = try state.image()
        let opened = try State.open(MemorySource(bytes)).state
        #expect(try opened.reading { try opened.digest() } == digest, "seed \(seed)")
    }

    @Test(
        "A second image of an unchanged state copies every block, and is the same, byte for byte")
    func unchanged() throws {
        var history = StateHistory(seed: 5)
        try history.advance(60)
        let (bytes, base, first) = try history.state.image()
        #expect(first.copiedBlocks == 0 && first.writtenBlocks > 5)
        let (again, _, second) = try history.state.image(on: base)
        #expect(second.writtenBlocks == 0 && second.copiedBlocks == first.writtenBlocks)
        #expect(again == bytes)
    }

    @Test("Opening reads the root and where structures begin, and a find by id few blocks")
    func laziness() throws {
        let state = try UserLog.state(count: 20_000)
        let (bytes, image, _) = try state.image()
        let source = MemorySource(bytes)
        let opened = try State.open(source).state
        let rootBytes = source.ranges.map { Int($0.count) }.reduce(0, +)
        let partCount = source.ranges.count - 2
        #expect((1...image.root.directory.chunks.count).contains(partCount))
        #expect(rootBytes < bytes.count / 20)
        let isFound = try UserLog.id(12_345).withUnsafeBytes { id in
            try opened.reading { opened.entry(of: UserLog.type, id: id)?.presence == .live }
        }
        #expect(isFound)
        // Nodes of ids, a bucket, nodes of rows, a leaf, and where the blocks are that these name.
        #expect(source.ranges.count <= 2 + image.root.directory.chunks.count + 8)
        #expect(image.blockCount > 40)
        #expect(opened.reservedBytes < 8 * 40 << 10)
    }

    @Test("Of neighbouring changes few blocks are written, and the rest is copied")
    func neighbours() throws {
        var state = try UserLog.state(count: 20_000)
        let (_, base, first) = try state.image()
        state = try UserLog.update(5_000..<5_200, of: state)
        let expected = StateContent(state)
        let (bytes, _, figures) = try state.image(on: base)
        #expect(figures.writtenBytes < first.writtenBytes / 10)
        #expect(figures.copiedBlocks > figures.writtenBlocks)
        let opened = try State.open(MemorySource(bytes)).state
        #expect(try opened.reading { StateContent(opened) } == expected)
    }

    @Test("Nothing of what was removed is left in an image")
    func removedContent() throws {
        var state = try UserLog.state(count: 300)
        let secret = UserLog.name(117)
        let (_, base, _) = try state.image()
        #expect(try Self.rawBytes(of: base).contains(secret))
        // One entity of a leaf: the block's other leaves stay, so it is made of the old block.
        state = try UserLog.delete(117..<118, of: state)
        let (_, second, figures) = try state.image(on: base)
        #expect(figures.copiedBlocks > 0)
        #expect(try !Self.rawBytes(of: second).contains(secret))
        #expect(try Self.rawBytes(of: second).contains(UserLog.name(118)))
        #expect(try !Self.rawBytes(of: state.image().image).contains(secret))
    }

    private static func rawBytes(of image: StoredImage) throws -> [UInt8] {
        try image.root.directory.allBlocks().flatMap { block in
            let stored = try block.read(from: image.source)
            defer { stored.deallocate() }
            var raw = [UInt8](repeating: 0, count: block.rawCount)
            try raw.withUnsafeMutableBytes {
                try block.expand(UnsafeRawBufferPointer(stored), into: #require($0.baseAddress))
            }
            return raw
        }
    }

    @Test("An index whose keys are made otherwise is left out, and its pages are freed")
    func staleIndexes() throws {
        var state = try UserLog.state(count: 500)
        let declaration = IndexDeclaration([.init(FieldNumber(1))])
        state = try state.changed { _ = try $0.declareIndex(of: UserLog.type, declaration) }
        let (bytes, image, _) = try state.image()
        #expect(try !State.open(MemorySource(bytes)).state.hasStaleIndexes)
        var root = image.root
        root.state.tables[0].indexes[0].form = KeyForm(version: KeyForm.version + 1, composition: 0)
        let end = root.directory.endOffset
        let changed = bytes[..<Int(end)] + (try root.encode(at: end)).copyBytes()
        var opened = try State.open(MemorySource([UInt8](changed))).state
        #expect(opened.hasStaleIndexes)
        #expect(opened.declaredIndexes(of: UserLog.type).isEmpty)
        let pageCount = opened.store.pageCount
        opened = try opened.changed { transaction in
            transaction.releaseStaleIndexes()
            _ = try transaction.declareIndex(of: UserLog.type, declaration)
        }
        opened.store.reclaim()
        #expect(!opened.hasStaleIndexes && opened.store.pageCount <= pageCount + 1)
        #expect(try opened.reading { StateContent(opened) } == StateContent(state))
    }
}
