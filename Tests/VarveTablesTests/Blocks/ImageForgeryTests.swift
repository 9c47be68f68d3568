import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Images whose checksums are right and whose content is not: whatever they say, reading and changing them ends, with
/// a typed error or with a content that is bounded by the image.
@Suite("Forged images")
struct ImageForgeryTests {
    private static func state(seed: Int) throws -> State {
        if seed % 5 == 0 { return try UserLog.state(count: 600) }
        var history = StateHistory(seed: seed)
        try history.advance(50)
        return history.state
    }

    /// Reads and changes all that can be; returns whether the image was opened.
    private func use(_ bytes: [UInt8], _ logged: [UInt8]) -> Bool {
        let isOpened = use(bytes, logged, memory: nil)
        return use(bytes, logged, memory: PageGenerationTests.memory()) && isOpened
    }

    private func use(_ bytes: [UInt8], _ logged: [UInt8], memory: ReplayMemory?) -> Bool {
        guard let state = try? State.open(MemorySource(bytes), memory: memory).state else {
            return false
        }
        _ = try? state.reading { StateContent(state) }
        _ = try? state.reading { try state.digest() }
        search(state)
        let transaction = StateTransaction(state)
        _ = try? logged.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
        for table in state.tables {
            let type = table.definition.number
            for declared in table.indexes {
                transaction.dropIndex(of: type, declared.declaration)
            }
            if let field = table.definition.fields.first {
                _ = try? transaction.declareIndex(
                    of: type, IndexDeclaration([.init(field.number)]))
            }
        }
        let wanted = state.tables.map { table in
            let fields = table.definition.fields.suffix(2).map { $0.number }
            return (table.definition.number, fields.map { IndexDeclaration([.init($0)]) })
        }
        var building = IndexBuilding(
            in: transaction, wanted: Dictionary(wanted) { first, _ in first })
        while building.advance() {}
        let changed = transaction.publish()
        _ = try? changed.reading { StateContent(changed) }
        _ = try? changed.image()
        return true
    }

    /// Passes over all indexes in both directions.
    private func search(_ state: State) {
        for table in state.tables {
            for declared in table.indexes {
                for isReversed in [false, true] {
                    _ = try? state.forEachSlot(
                        of: table.definition.number, by: declared.declaration,
                        in: FieldBounds(equal: []), isReversed: isReversed
                    ) { slot, _ in
                        #expect(slot.index < table.slotCount)
                        return true
                    }
                }
            }
        }
    }

    @Test("A key that is shorter than a slot, or names a slot past the last one, is damage")
    func keysWithoutSlots() throws {
        let byAge = IndexDeclaration([.init(FieldNumber(2))])
        let image = try ForgedImage(
            UserLog.state(count: 600).changed { transaction in
                _ = try transaction.declareIndex(of: UserLog.type, byAge)
            }.image())
        let (block, frame) = try #require(image.firstFrame(of: PageKind(.keyPage)))
        func slots(_ image: ForgedImage) throws -> [Int] {
            let state = try State.open(MemorySource(image.bytes())).state
            var slots: [Int] = []
            let isThere = try state.reading { () throws(CodecError) in
                try state.forEachSlot(
                    of: UserLog.type, by: byAge, in: FieldBounds(equal: []), isReversed: true
                ) { slot, _ in
                    slots.append(slot.index)
                    return true
                }
            }
            #expect(isThere)
            return slots
        }
        #expect(try slots(image).count == 600)
        var short = image
        // The first cell: a key of some ages' two bytes and four of a slot, of which two are left.
        short.blocks[block].raw[frame + KeyPage.cells + 2] -= 3
        short.blocks[block].raw[frame + Page.headerBytes + 2] += 3
        #expect(throws: (any Error).self) { try slots(short) }
        var past = image
        let cell = frame + KeyPage.cells
        let raw = past.blocks[block].raw
        let offset = Int(raw[cell]) + Int(raw[cell + 1]) << 8
        past.blocks[block].raw[frame + offset + Int(raw[cell + 2]) - 4] = 0x7F
        #expect(throws: (any Error).self) { try slots(past) }
    }

    @Test(
        "Bytes of blocks changed at random, under right checksums",
        arguments: TestSize.choose(1...50, nightly: 1...150))
    func blocks(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let state = try Self.state(seed: seed)
        let logged = try Self.transaction(seed)
        var image = try ForgedImage(state.image())
        if seed % 3 == 0 { image.putIDsBetweenRows() }
        for _ in 0..<12 {
            var forged = image
            for _ in 0...generator.below(4) { forged.change(&generator) }
            #expect(use(try forged.bytes(), logged), "seed \(seed)")
        }
    }

    /// The rows of all types by their slots, as they are read or scanned; nil where damage is met.
    private static func rows(_ bytes: [UInt8], scanning: Bool) -> [[Int: [UInt8]]]? {
        guard let state = try? State.open(MemorySource(bytes)).state else { return nil }
        return try? state.reading { () throws(CodecError) in
            var found: [[Int: [UInt8]]] = []
            for type in state.catalog.definitions.map(\.number) {
                guard var reader = state.reader(of: type) else { continue }
                var rows: [Int: [UInt8]] = [:]
                func add(_ entity: StateEntity) {
                    rows[entity.slot.index] = [UInt8](entity.id) + [UInt8](entity.row)
                }
                if scanning {
                    let leaves = state.leavesAsStored(of: type)
                    try reader.forEachBatch(in: leaves[...]) { batch throws(CodecError) in
                        for index in 0..<batch.count { add(try batch.entity(index)) }
                        return true
                    }
                } else {
                    try reader.forEach { entity throws(CodecError) in add(entity) }
                }
                found.append(rows)
            }
            return found
        }
    }

    @Test(
        "A scan of forged blocks finds what a read of them finds",
        arguments: TestSize.choose(1...20, nightly: 1...60))
    func scanning(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var image = try ForgedImage(Self.state(seed: seed).image())
        if seed % 3 == 0 { image.putIDsBetweenRows() }
        for _ in 0..<12 {
            var forged = image
            forged.change(&generator)
            let bytes = try forged.bytes()
            let scanned = Self.rows(bytes, scanning: true)
            #expect(scanned == Self.rows(bytes, scanning: false), "seed \(seed)")
        }
    }

    @Test("Two rows of a block that name one page are damage, scanned or read")
    func sharedPage() throws {
        var image = try ForgedImage(
            UserLog.addLong(0..<4, to: UserLog.state(count: 0)).image())
        let (block, frame) = try #require(image.firstFrame(of: PageKind(.rowLeaf)))
        #expect(Self.rows(try image.bytes(), scanning: true)?.first?.count == 4)
        let body = frame + RowLeaf.Geometry.standard.body
        let number = image.blocks[block].raw[body..<body + 4]
        image.blocks[block].raw.replaceSubrange(body + 4..<body + 8, with: number)
        let forged = try image.bytes()
        #expect(Self.rows(forged, scanning: true) == nil)
        #expect(Self.rows(forged, scanning: false) == nil)
    }

    @Test("An ordinal or a transaction that no row can have is damage", arguments: [0, 8])
    func stamps(offset: Int) throws {
        var image = try ForgedImage(UserLog.state(count: 600).image())
        let (block, frame) = try #require(image.firstFrame(of: PageKind(.rowLeaf)))
        let place = RowLeaf.Geometry.standard.stamps + offset
        // 2^63 and more; of a transaction 2^40 is past the newest too.
        image.store(offset == 0 ? 0xFFFF_FFFF : 1 << 8, block, frame, at: place + 4)
        let state = try State.open(MemorySource(try image.bytes())).state
        #expect(throws: StateReadError<Never>.self) {
            try state.reading { _ = StateContent(state) }
        }
        #expect(Self.rows(try image.bytes(), scanning: true) == nil)
    }

    @Test("A block that takes more memory than a run of pages has is refused")
    func longBlock() throws {
        let written = try UserLog.state(count: 5_000).image()
        var image = try ForgedImage(written)
        let chunks = written.image.root.directory.chunks
        let found = try #require(
            image.blocks.firstIndex { block in
                let run = block.entry.run
                return chunks.contains {
                    $0.number == run.first.chunk && $0.spanCount >= run.firstSpan + 17
                }
            })
        // Others would be in the way of a longer one.
        image.blocks = [image.blocks[found]]
        func isTooLong(_ spanCount: Int) throws -> Bool {
            let run = image.blocks[0].entry.run
            image.blocks[0].entry.run = PageRun(
                first: run.first, kind: run.kind, frameBytes: run.frameBytes, spanCount: spanCount)
            let root = try ImageRoot.read(from: MemorySource(try image.bytes()))
            do throws(PageDamage) {
                _ = try root.directory.allBlocks()
                return false
            } catch {
                guard case .content(_, let reason) = error else { return false }
                return reason.contains("length of a block")
            }
        }
        #expect(try !isTooLong(image.blocks[0].entry.run.spanCount))
        #expect(try !isTooLong(16))
        #expect(try isTooLong(17))
    }

    @Test(
        "Page numbers exchanged for others of the image",
        arguments: TestSize.choose(1...20, nightly: 1...60))
    func references(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed) << 20)
        let image = try ForgedImage(try Self.state(seed: seed).image())
        let logged = try Self.transaction(seed)
        for _ in 0..<12 {
            var forged = image
            for _ in 0...generator.below(3) { forged.exchangeReferences(&generator) }
            #expect(use(try forged.bytes(), logged), "seed \(seed)")
        }
    }

    /// Ten seeds at a time: of so many forgeries some are opened, and not all.
    @Test(
        "Blocks left out, doubled, exchanged, or of another image, and counts that lie",
        arguments: TestSize.choose(0..<3, nightly: 0..<8))
    func directories(group: Int) throws {
        var (openedCount, forgedCount) = (0, 0)
        for seed in (group * 10 + 1)...(group * 10 + 10) {
            var generator = SeededGenerator(seed: UInt64(seed) << 30)
            let logged = try Self.transaction(seed)
            let image = try ForgedImage(try Self.state(seed: seed).image())
            let other = try ForgedImage(try Self.state(seed: seed + 500).image())
            for _ in 0..<15 {
                var forged = image
                for _ in 0...generator.below(3) { forged.forgeDirectory(&generator, with: other) }
                forgedCount += 1
                if use(try forged.bytes(), logged) { openedCount += 1 }
            }
        }
        #expect((1..<forgedCount).contains(openedCount), "group \(group)")
    }

    /// Ten seeds at a time: of so many forgeries some are opened, and not all.
    @Test(
        "Bytes of the root changed at random, under a right checksum",
        arguments: TestSize.choose(0..<3, nightly: 0..<10))
    func roots(group: Int) throws {
        var openedCount = 0
        for seed in (group * 10 + 1)...(group * 10 + 10) {
            openedCount += try useForgedRoots(seed: seed, count: 30)
        }
        #expect((1..<300).contains(openedCount), "group \(group)")
    }

    /// Returns how many were opened.
    private func useForgedRoots(seed: Int, count: Int) throws -> Int {
        var generator = SeededGenerator(seed: UInt64(seed) << 40)
        let (bytes, image, _) = try Self.state(seed: seed).image()
        let logged = try Self.transaction(seed)
        let end = Int(image.root.directory.endOffset)
        var openedCount = 0
        for _ in 0..<count {
            var forged = bytes
            for _ in 0...generator.below(3) {
                let position = end + generator.below(bytes.count - end - ImageRoot.locatorBytes)
                forged[position] = UInt8(truncatingIfNeeded: generator.next())
            }
            ForgedImage.mendRoot(&forged, at: end)
            if use(forged, logged) { openedCount += 1 }
        }
        return openedCount
    }

    @Test("A root of another form is not supported, and one without a form is malformed")
    func forms() throws {
        let (bytes, image, _) = try Self.state(seed: 1).image()
        let end = Int(image.root.directory.endOffset)
        func forged(ofForm form: UInt8) -> [UInt8] {
            var forged = bytes
            forged[end] = form
            ForgedImage.mendRoot(&forged, at: end)
            return forged
        }
        #expect(refusal(of: forged(ofForm: 4)) == nil)
        for form in [UInt8(1), 5] {
            #expect(refusal(of: forged(ofForm: form)) == .unsupported(version: UInt32(form)))
        }
        #expect(refusal(of: forged(ofForm: 0)) == .malformed(reason: "its form is 0"))
        // A root of three bytes.
        var locator = ByteWriter()
        locator.write(littleEndian: UInt64(end))
        locator.write(littleEndian: UInt32(3))
        locator.write(littleEndian: UInt32(0))
        locator.write(littleEndian: ImageRoot.magic)
        var short = [UInt8](bytes[..<(end + 3)]) + locator.copyBytes()
        ForgedImage.mendRoot(&short, at: end)
        let reason = CodecError.truncated(offset: 0, needed: 4, available: 3).description
        #expect(refusal(of: short) == .malformed(reason: reason))
    }

    @Test("A root whose definitions do not fit each other says why")
    func definitions() throws {
        let (bytes, image, _) = try UserLog.state(count: 0).image()
        var root = image.root
        let relation = RelationDefinition(
            number: RelationNumber(1), name: "owner", target: TypeNumber(9), isToMany: false)
        let definition = TypeDefinition(
            number: TypeNumber(2), name: "Pet", idType: .string, fields: [], relations: [relation])
        #expect(try root.state.catalog.define(definition, in: root.state.lastTransaction))
        let end = root.directory.endOffset
        let forged = [UInt8](bytes[..<Int(end)]) + (try root.encode(at: end)).copyBytes()
        let error = CatalogError.unknownTarget(
            type: "Pet", property: "owner", target: TypeNumber(9))
        guard case .malformed(let reason) = refusal(of: forged) else {
            Issue.record("not refused as malformed")
            return
        }
        #expect(reason.contains("\(error)"))
    }

    private enum Refusal: Equatable {
        case unsupported(version: UInt32)
        case malformed(reason: String)
        case other
    }

    /// Why an image is not opened; nil where it is.
    private func refusal(of bytes: [UInt8]) -> Refusal? {
        do throws(ImageError) {
            _ = try State.open(MemorySource(bytes))
            return nil
        } catch {
            switch error {
            case .unsupported(let version, _): return .unsupported(version: version)
            case .malformedRoot(let reason): return .malformed(reason: reason)
            default: return .other
            }
        }
    }

    @Test("A page that two pages name is damage, and so is one of another kind")
    func secondParent() throws {
        let state = try UserLog.state(count: 600)
        let image = try ForgedImage(state.image())
        let leaf = PageKind(.rowLeaf)
        let node = PageKind(.rowNode, level: 1)
        let (block, frame) = try #require(image.firstFrame(of: node))
        for target in [leaf, PageKind(.idBucket), node] {
            var forged = image
            let (other, _) = try #require(forged.firstFrame(of: target))
            let number = forged.blocks[other].entry.run.number(0)
            forged.store(number.rawValue, block, frame, at: Page.headerBytes + 4 * 5)
            let opened = try State.open(MemorySource(try forged.bytes())).state
            #expect(throws: StateReadError<Never>.self) {
                try opened.reading { StateContent(opened) }
            }
        }
    }

    @Test("A key under which ids collide is replaced as soon as they do")
    func chosenKey() throws {
        let (bytes, image, _) = try UserLog.state(count: 0).image()
        var root = image.root
        // Multiplies by zero for all ids of eight bytes.
        let key = KeyedHash.Key(first: 1, second: 3, third: 8)
        root.state.tables[0].parts.ids = IDMap(root: .none, key: key)
        let end = root.directory.endOffset
        let forged = [UInt8](bytes[..<Int(end)]) + (try root.encode(at: end)).copyBytes()
        let opened = try State.open(MemorySource(forged)).state
        #expect(opened.tables[0].ids.key == key)
        let state = try UserLog.add(10..<100, to: opened)
        #expect(state.tables[0].ids.key != key)
        for number in 10..<100 {
            let isFound = UserLog.id(number).withUnsafeBytes {
                state.entry(of: UserLog.type, id: $0) != nil
            }
            #expect(UserLog.id(number).count == 8 && isFound)
        }
    }

    private static func transaction(_ seed: Int) throws -> [UInt8] {
        var history = StateHistory(seed: seed)
        try history.advance(50)
        return try history.next()
    }
}
