import Testing
import VarveTestSupport

@testable import VarveTables

/// A number in a page of its own at each index: what a version holds is easy to say.
private struct Numbers {
    var array = PageArray(.rowNode, childBits: 1)

    func value(at index: Int, in pages: PageTable) -> UInt64? {
        let number = array.number(at: index, in: pages)
        return number == .none ? nil : pages[number].load(Page.headerBytes, as: UInt64.self)
    }

    mutating func set(_ index: Int, to value: UInt64, in transaction: PageTransaction) {
        let entry = array.mutableEntry(at: index, in: transaction)
        if entry.pointee == .none { entry.pointee = transaction.allocate(PageKind(.rowLeaf), 24).0 }
        transaction.mutable(&entry.pointee).store(value, at: Page.headerBytes)
    }

    mutating func clear(_ index: Int, in transaction: PageTransaction) {
        let entry = array.mutableEntry(at: index, in: transaction)
        if entry.pointee != .none { transaction.release(entry.pointee) }
        entry.pointee = .none
    }
}

@Suite("Pages and their versions")
struct PageStoreTests {
    private struct Held {
        let snapshot: PageSnapshot
        let numbers: Numbers
        let expected: [Int: UInt64]

        func check(_ seed: Int) {
            for index in 0..<9 {
                #expect(
                    numbers.value(at: index, in: snapshot.pages) == expected[index], "seed \(seed)")
            }
        }
    }

    @Test("Every held version reads as it was, whichever others go first", arguments: 1...200)
    func versions(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var versions = Versions(Numbers())
        var expected: [Int: UInt64] = [:]
        var held: [Held] = []
        for round in 0..<60 {
            func step(_ numbers: inout Numbers, _ transaction: PageTransaction) {
                for _ in 0...generator.below(3) {
                    let index = generator.below(8)
                    if generator.chance(4) {
                        numbers.clear(index, in: transaction)
                        expected[index] = nil
                    } else {
                        numbers.set(index, to: UInt64(round), in: transaction)
                        expected[index] = UInt64(round)
                    }
                }
            }
            if generator.chance(5) {
                let before = expected
                let pageCount = versions.store.pageCount
                versions.changeInVain { step(&$0, $1) }
                expected = before
                #expect(versions.store.pageCount <= pageCount, "seed \(seed): rolled back")
            } else {
                versions.change { step(&$0, $1) }
            }
            if generator.chance(2), let newest = versions.newest {
                held.append(
                    Held(snapshot: newest, numbers: versions.structure, expected: expected))
            }
            while !held.isEmpty, generator.chance(2) {
                held.remove(at: generator.below(held.count))
            }
            for version in held { version.check(seed) }
        }
        held = []
        var used = 0
        versions.structure.array.forEach(in: versions.pages) { _, _ in
            used += 1
            return true
        }
        // Eight indices: seven nodes of two children, and the pages.
        #expect(versions.livePageCount() <= 7 + used, "seed \(seed)")
        #expect(used == expected.count, "seed \(seed)")
        #expect(versions.store.liveVersionCount == 1, "seed \(seed)")
    }

    @Test("A page goes with the last version that reaches it, though an older one is held")
    func deadLists() {
        var versions = Versions(Numbers())
        versions.change { $0.set(0, to: 0, in: $1) }
        let oldest = versions.newest
        // A root and the page in each version: two of the oldest, two of the newest.
        for value in 1...20 { versions.change { $0.set(0, to: UInt64(value), in: $1) } }
        #expect(versions.livePageCount() == 4)
        var middle = versions.newest
        let middleNumbers = versions.structure
        for value in 21...40 { versions.change { $0.set(0, to: UInt64(value), in: $1) } }
        #expect(versions.livePageCount() == 6)
        #expect(middle.flatMap { middleNumbers.value(at: 0, in: $0.pages) } == 20)
        middle = nil
        #expect(versions.livePageCount() == 4)
        withExtendedLifetime(oldest) {}
    }

    @Test("A transaction changes its own pages in place")
    func ownPages() {
        var versions = Versions(Numbers())
        versions.change { $0.set(5, to: 1, in: $1) }
        versions.change { numbers, transaction in
            numbers.set(5, to: 2, in: transaction)
            let number = numbers.array.number(at: 5, in: transaction.pages)
            numbers.set(5, to: 3, in: transaction)
            #expect(numbers.array.number(at: 5, in: transaction.pages) == number)
        }
        #expect(versions.structure.value(at: 5, in: versions.pages) == 3)
    }

    @Test("Threads read and release versions while others are made")
    func threads() async {
        var versions = Versions(Numbers())
        versions.change { numbers, transaction in
            for index in 0..<8 { numbers.set(index, to: 0, in: transaction) }
        }
        await withTaskGroup(of: Bool.self) { group in
            for round in 1...400 {
                versions.change { numbers, transaction in
                    for index in 0..<8 { numbers.set(index, to: UInt64(round), in: transaction) }
                }
                guard let snapshot = versions.newest else { continue }
                let numbers = versions.structure
                group.addTask {
                    (0..<8).allSatisfy {
                        numbers.value(at: $0, in: snapshot.pages) == UInt64(round)
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        // Fifteen pages: a full tree of nodes of two children over eight.
        #expect(versions.livePageCount() == 15)
    }

    @Test("Frames come back by kind and size, and large ones to the system")
    func frames() {
        var arena = FrameArena(.hugeChunks)
        let kind = PageKind(.rowLeaf)
        for size in [64, 128, 8_192, 8_256, 100_000, 1 << 20, 1 << 20 | 1] {
            let rounded = FrameSize.rounded(size)
            let (number, frame) = arena.allocate(kind, rounded)
            (frame.address + Page.headerBytes).initializeMemory(
                as: UInt8.self, repeating: 1, count: rounded - Page.headerBytes)
            #expect(frame.byteCount == rounded && frame.kind == kind)
            let reserved = arena.reservedBytes
            arena.deallocate(number, frame)
            #expect(
                arena.reservedBytes == (size > 1 << 20 ? reserved - rounded : reserved),
                "\(size)")
            let (again, sameFrame) = arena.allocate(kind, rounded)
            #expect(again == number, "\(size)")
            #expect(arena.frameCount == 1)
            arena.deallocate(again, sameFrame)
            let (other, otherFrame) = arena.allocate(PageKind(.linkLeaf), rounded)
            #expect(other != number || size > 1 << 20, "\(size)")
            arena.deallocate(other, otherFrame)
        }
        #expect(arena.frameCount == 0)
    }

    @Test("Frames in use do not overlap, whatever sizes are asked for", arguments: 1...20)
    func frameRanges(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var arena = FrameArena(seed % 2 == 0 ? .hugeChunks : .separate)
        var frames: [(number: PageNumber, page: Page, size: Int)] = []
        let kinds = [PageKind(.rowLeaf), PageKind(.keyPage, level: 2), PageKind(.idBucket)]
        for _ in 0..<600 {
            if frames.count > 40, generator.chance(2) {
                let frame = frames.remove(at: generator.below(frames.count))
                #expect(
                    frame.page.load(16, as: UInt32.self) == frame.number.rawValue, "seed \(seed)")
                arena.deallocate(frame.number, frame.page)
            } else {
                let size = FrameSize.rounded(24 + generator.below(1 << generator.below(18)))
                let kind = kinds[generator.below(3)]
                let (number, page) = arena.allocate(kind, size)
                let span = arena.pages.span(of: number)
                #expect(span.kind == kind && span.frameBytes == size, "seed \(seed)")
                #expect(span.frameIndex(of: number) != nil, "seed \(seed)")
                page.birth = PageVersion(1)
                page.store(number.rawValue, at: 16)
                page.store(number.rawValue, at: size - 4)
                frames.append((number, page, size))
            }
        }
        for frame in frames {
            #expect(arena.pages.frame(frame.number).address == frame.page.address)
            for offset in [16, frame.size - 4] {
                #expect(
                    frame.page.load(offset, as: UInt32.self) == frame.number.rawValue,
                    "seed \(seed)")
            }
        }
        #expect(arena.frameCount == frames.count)
    }

    @Test("Sizes of frames: none is more than an eighth too large, and each has its class")
    func frameSizes() {
        var classes: [Int: Int] = [:]
        for count in 1...1 << 20 where count < 20_000 || count % 97 == 0 || count == 1 << 20 {
            let size = FrameSize.rounded(count)
            #expect(size >= count && size < count + max(64, count / 8), "\(count)")
            #expect(FrameSize.rounded(size) == size)
            let index = FrameSize.index(of: size)
            #expect(classes.updateValue(size, forKey: index) ?? size == size, "\(count)")
            #expect(index > 0 && index < FrameSize.classCount)
        }
        #expect(classes.count == FrameSize.classCount - 1)
    }
}
