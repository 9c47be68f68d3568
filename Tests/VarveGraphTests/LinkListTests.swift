import Testing
import VarveTestSupport

@testable import VarveGraph

@Suite("Where link lists differ")
struct LinkListTests {
    /// The stretch as comparing from both ends finds it.
    private static func naive(_ old: [UInt32], _ new: [UInt32]) -> (Int, [UInt32], [UInt32]) {
        let shorter = min(old.count, new.count)
        let prefix = zip(old, new).prefix { $0 == $1 }.count
        let suffix = zip(old.reversed(), new.reversed()).prefix(shorter - prefix)
            .prefix { $0 == $1 }.count
        return (
            prefix, Array(old[prefix..<(old.count - suffix)]),
            Array(new[prefix..<(new.count - suffix)])
        )
    }

    private static func check(_ old: SlotList, _ new: SlotList, _ note: Comment) {
        let stretch = LinkList(list: new).stretch(differingFrom: LinkList(list: old))
        let expected = naive(Array(old.slots), Array(new.slots))
        #expect(stretch.start == expected.0, note)
        #expect(stretch.old == expected.1, note)
        #expect(stretch.new == expected.2, note)
        let isAppended = expected.1.isEmpty && expected.2.count == 1 && expected.0 == old.count
        #expect(
            LinkList(list: new).slotAppended(to: LinkList(list: old))
                == (isAppended ? expected.2[0] : nil), note)
    }

    @Test(
        "Edited copies differ where arrays differ", arguments: [51, 52, 53, 54] as [UInt64])
    func agreesWithArrays(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let count = [0, 1, 2, 40, 129, 700, 9_000][round % 7]
            var list = SlotList(0..<UInt32(count))
            for step in 0..<Int.random(in: 0..<400, using: &random) {
                list.insert(
                    20_000 + UInt32(step), at: Int.random(in: 0...list.count, using: &random))
            }
            let old = list
            let place = Int.random(in: 0...list.count, using: &random)
            for step in 0..<Int.random(in: 0..<(round % 3 == 0 ? 300 : 4), using: &random) {
                let near = min(list.count, place + Int.random(in: 0..<8, using: &random))
                if near < list.count, Bool.random(using: &random) {
                    list.remove(at: near)
                } else {
                    list.insert(50_000 + UInt32(step), at: near)
                }
            }
            list.checkInvariants()
            Self.check(old, list, "seed \(seed), round \(round)")
            Self.check(list, old, "seed \(seed), round \(round), back")
            Self.check(old, SlotList(Array(list.slots)), "seed \(seed), round \(round), unshared")
        }
    }

    @Test(
        "Stretches turn a list into its edited copy, whatever moved",
        arguments: 61...64 as ClosedRange<UInt64>)
    func stretches(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<200 {
            let old = SlotList(0..<[2, 100, 129, 700, 9_000][round % 5] as Range<UInt32>)
            var new = old
            for step in 0..<Int.random(in: 1..<[2, 6, 60][round % 3], using: &random) {
                let slot = new.slot(at: Int.random(in: 0..<new.count, using: &random))
                switch random.next() % 4 {
                case 0: new.insert(50_000 + UInt32(step), at: Int(random.next() % 2) * new.count)
                case 1 where new.count > 1: new.remove(at: new.position(of: slot) ?? 0)
                default:
                    new.remove(at: new.position(of: slot) ?? 0)
                    new.insert(slot, at: Int.random(in: 0...new.count, using: &random))
                }
            }
            for (before, now) in [(old, new), (new, old), (old, SlotList(Array(new.slots)))] {
                let stretches = LinkList(list: now).stretches(
                    differingFrom: LinkList(list: before))
                var built: [UInt32] = []
                var end = 0
                for stretch in stretches {
                    built += before.slots[end..<stretch.start]
                    #expect(built.count == stretch.newStart)
                    built += stretch.new
                    end = stretch.start + stretch.old.count
                    #expect(stretch.old == Array(before.slots[stretch.start..<end]))
                }
                built += before.slots[end...]
                #expect(built == Array(now.slots), "seed \(seed), round \(round)")
            }
        }
    }

    @Test("A move in a long list is two short stretches")
    func moves() {
        let long = SlotList(0..<100_000 as Range<UInt32>)
        var moved = long
        moved.remove(at: 10)
        moved.insert(10, at: 90_000)
        let stretches = LinkList(list: moved).stretches(differingFrom: LinkList(list: long))
        #expect(stretches.count == 2)
        #expect(stretches.allSatisfy { $0.old.count <= 512 && $0.new.count <= 512 })
    }

    @Test("Lists that share nothing, lists that are equal, and the ends of long ones")
    func edges() {
        let long = SlotList(0..<100_000 as Range<UInt32>)
        var appended = long
        appended.append(200_000)
        Self.check(long, appended, "appended")
        var shortened = long
        shortened.remove(at: 0)
        Self.check(long, shortened, "shortened")
        Self.check(long, long, "the same")
        Self.check(long, SlotList(0..<100_000 as Range<UInt32>), "built again")
        Self.check(.empty, long, "from nothing")
        Self.check(long, .one(99_999), "one that was the last")
        Self.check(.one(3), .one(4), "one and one")
    }

    @Test("A change of a long list is found without a look at most of it")
    func isShort() {
        let long = SlotList(0..<100_000 as Range<UInt32>)
        var changed = long
        changed.insert(200_000, at: 50_000)
        changed.remove(at: 50_003)
        let stretch = LinkList(list: changed).stretch(differingFrom: LinkList(list: long))
        #expect(stretch.start == 50_000)
        #expect(stretch.old == [50_000, 50_001, 50_002])
        #expect(stretch.new == [200_000, 50_000, 50_001])
    }
}
