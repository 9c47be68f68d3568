import Testing
import VarveEvents
import VarveTestSupport

@testable import Varve
@testable import VarveGraph

@Suite("What turns one list of links into another")
struct ListChangesTests {
    /// A list whose slots are the numbers up to a count, in its leaves of 125.
    private static func list(_ count: Int) -> SlotList { SlotList(0..<UInt32(count)) }

    /// Moves slots as `Context` moves links: one by one.
    private static func move(_ positions: Range<Int>, to target: Int, in list: inout SlotList) {
        let moved = Array(list.slots[positions])
        for _ in positions { list.remove(at: positions.lowerBound) }
        let start = target > positions.lowerBound ? target - positions.count : target
        for (offset, slot) in moved.enumerated() { list.insert(slot, at: start + offset) }
    }

    private static func changes(_ old: SlotList, _ new: SlotList) -> ListChanges {
        ListChanges(from: LinkList(list: old), to: LinkList(list: new))
    }

    /// Compares with the fewest moves that a search among all slots finds.
    private static func check(_ old: SlotList, _ new: SlotList, _ note: Comment) {
        let changes = changes(old, new)
        let fewest = ListDifference(from: Array(old.slots), to: Array(new.slots))
        #expect(changes.removals.count == fewest.removals.count, note)
        #expect(changes.insertions.count == fewest.insertions.count, note)
        var built = Array(old.slots)
        for removal in changes.removals.reversed() {
            #expect(built.remove(at: removal.position) == removal.slot, note)
        }
        for insertion in changes.insertions { built.insert(insertion.slot, at: insertion.position) }
        #expect(built == Array(new.slots), note)
    }

    @Test("Most of a list moves over a few: the few are what is logged")
    func mostMove() {
        let old = Self.list(1_000)
        var new = old
        Self.move(0..<700, to: 900, in: &new)
        let changes = Self.changes(old, new)
        #expect(changes.removals.count == 200 && changes.insertions.count == 200)
        Self.check(old, new, "700 over 200")
        Self.check(new, old, "200 over 700")
    }

    @Test("Short shared leaves are given up, and long ones are kept, in one change")
    func someRunsStay() {
        let old = Self.list(20_000)
        var new = old
        Self.move(100..<500, to: 700, in: &new)
        new.insert(20_001, at: 15_000)
        new.remove(at: 4_000)
        Self.check(old, new, "some stay")
        let stretches = LinkList(list: new).stretches(differingFrom: LinkList(list: old))
        #expect(stretches.reduce(0) { $0 + $1.old.count } < 1_200, "the rest is not searched")
    }

    @Test(
        "As few as possible move, whatever moved in however many pieces",
        arguments: 71...74 as ClosedRange<UInt64>)
    func fewest(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<120 {
            let old = Self.list([2, 129, 700, 1_000, 3_000][round % 5])
            var new = old
            for step in 0..<Int.random(in: 1..<[2, 4, 12][round % 3], using: &random) {
                let length = min(new.count, [1, 2, 90, 400][Int(random.next() % 4)])
                let start = Int.random(in: 0...(new.count - length), using: &random)
                let rest = new.count - length
                let target = Int.random(in: 0...rest, using: &random)
                switch random.next() % 6 {
                case 0: new.insert(50_000 + UInt32(step), at: target)
                case 1 where new.count > 1: new.remove(at: min(start, new.count - 1))
                default:
                    let end = target <= start ? target : target + length
                    Self.move(start..<(start + length), to: end, in: &new)
                }
            }
            new.checkInvariants()
            Self.check(old, new, "seed \(seed), round \(round)")
            Self.check(new, old, "seed \(seed), round \(round), back")
        }
    }
}
