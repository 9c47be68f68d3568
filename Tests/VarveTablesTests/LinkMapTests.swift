import Testing
import VarveTestSupport

@testable import VarveTables

@Suite("Lists of links")
struct LinkMapTests {
    private static func tinyMap() -> LinkMap {
        LinkMap(holderBits: 1, shortCountMax: 2, pageCount: 3, childBits: 1)
    }

    private static func lists(_ map: LinkMap, _ pages: PageTable) -> [UInt32: [UInt32]] {
        var lists: [UInt32: [UInt32]] = [:]
        map.forEachList(in: pages) { holder, targets in
            lists[holder.rawValue] = targets.map(\.rawValue)
            return true
        }
        for (holder, targets) in lists {
            let slot = Slot(holder)
            #expect(map.count(of: slot, in: pages) == targets.count)
            #expect(map.targets(of: slot, in: pages).map(\.rawValue) == targets)
            for (position, target) in targets.enumerated() {
                #expect(map.target(of: slot, at: position, in: pages).rawValue == target)
            }
        }
        return lists
    }

    /// An edit by number: insertions at each position, then removals, then none.
    private static func edit(_ number: Int, of list: inout [UInt32], value: UInt32)
        -> SlotListChanges?
    {
        if number <= list.count {
            list.insert(value, at: number)
            return SlotListChanges(insertions: [.init(position: number, slot: Slot(value))])
        }
        let position = number - list.count - 1
        guard position < list.count else { return nil }
        let removed = list.remove(at: position)
        return SlotListChanges(removals: [.init(position: position, slot: Slot(removed))])
    }

    @Test("All pairs of edits of lists of every length up to three levels", arguments: 0...20)
    func exhaustive(length: Int) {
        forEachSequence(length: 2, below: 2 * length + 4) { sequence in
            var versions = Versions(Self.tinyMap())
            var list = (0..<UInt32(length)).map { $0 }
            versions.change { map, transaction in
                map.replace(list.map { Slot($0) }, of: Slot(4), in: transaction)
                map.replace([Slot(7)], of: Slot(5), in: transaction)
            }
            let (held, before) = (versions, list)
            for (step, number) in sequence.enumerated() {
                guard let changes = Self.edit(number, of: &list, value: UInt32(100 + step)) else {
                    return
                }
                versions.change { $0.change(changes, of: Slot(4), in: $1) }
            }
            func expected(_ list: [UInt32]) -> [UInt32: [UInt32]] {
                list.isEmpty ? [5: [7]] : [4: list, 5: [7]]
            }
            if Self.lists(versions.structure, versions.pages) != expected(list) {
                Issue.record("\(sequence)")
            }
            if Self.lists(held.structure, held.pages) != expected(before) {
                Issue.record("\(sequence), the version that was held")
            }
        }
    }

    @Test(
        "Random changes of many lists, with versions held",
        arguments: TestSize.choose(1...15, nightly: 1...30))
    func random(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var versions = Versions(generator.chance(2) ? Self.tinyMap() : LinkMap())
        var atOnce = Versions(versions.structure)
        var expected: [UInt32: [UInt32]] = [:]
        var held: [(Versions<LinkMap>, [UInt32: [UInt32]])] = []
        var history: [(UInt32, SlotListChanges?, [Slot])] = []
        for _ in 0..<200 {
            let holder = UInt32(generator.below(40))
            var list = expected[holder] ?? []
            if generator.chance(12) {
                list = (0..<UInt32(generator.below(60))).map { $0 }
                let slots = list.map { Slot($0) }
                history.append((holder, nil, slots))
                versions.change { $0.replace(slots, of: Slot(holder), in: $1) }
            } else {
                let changes = Self.changes(of: &list, &generator)
                history.append((holder, changes, []))
                versions.change { $0.change(changes, of: Slot(holder), in: $1) }
            }
            expected[holder] = list.isEmpty ? nil : list
            if generator.chance(20) { held.append((versions, expected)) }
        }
        #expect(Self.lists(versions.structure, versions.pages) == expected, "seed \(seed)")
        for (version, lists) in held {
            #expect(Self.lists(version.structure, version.pages) == lists, "seed \(seed), held")
        }
        held = []
        atOnce.change { map, transaction in
            for (holder, changes, slots) in history {
                if let changes {
                    map.change(changes, of: Slot(holder), in: transaction)
                } else {
                    map.replace(slots, of: Slot(holder), in: transaction)
                }
            }
        }
        #expect(versions.livePageCount() == atOnce.livePageCount(), "seed \(seed)")
    }

    /// Random removals and insertions, as a link event has them.
    private static func changes(
        of list: inout [UInt32], _ generator: inout SeededGenerator
    ) -> SlotListChanges {
        var changes = SlotListChanges()
        for position in list.indices where generator.chance(4) {
            changes.removals.append(.init(position: position, slot: Slot(list[position])))
        }
        for removal in changes.removals.reversed() { list.remove(at: removal.position) }
        var position = 0
        for _ in 0..<generator.below(8) {
            position += generator.below(4)
            guard position <= list.count else { break }
            let value = UInt32(generator.below(1_000))
            changes.insertions.append(.init(position: position, slot: Slot(value)))
            list.insert(value, at: position)
            position += 1
        }
        return changes
    }

    @Test("A change of a list of ten thousand copies some pages, not the list")
    func longList() {
        var versions = Versions(LinkMap())
        versions.change { map, transaction in
            map.replace((0..<10_000).map { Slot($0) }, of: Slot(0), in: transaction)
        }
        let before = versions.livePageCount()
        let held = versions.newest
        versions.change {
            $0.change(
                SlotListChanges(insertions: [.init(position: 5_000, slot: Slot(1))]), of: Slot(0),
                in: $1)
        }
        // The node above the leaves of the map, the leaf, two levels of nodes, and two halves of a leaf.
        #expect(versions.livePageCount() <= before + 6)
        withExtendedLifetime(held) {}
    }
}
