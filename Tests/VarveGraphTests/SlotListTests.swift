import Testing
import VarveTestSupport

@testable import VarveGraph

@Suite("Slot list")
struct SlotListTests {
    @Test("A list takes one word")
    func size() {
        #expect(MemoryLayout<SlotList>.size == 8)
    }

    @Test("Appending and removing pass through every representation")
    func representations() {
        var list = SlotList.empty
        list.append(4)
        #expect(Array(list.slots) == [4])
        list.insert(3, at: 0)
        #expect(Array(list.slots) == [3, 4])
        list.remove(at: 1)
        #expect(Array(list.slots) == [3])
        list.remove(at: 0)
        #expect(list.count == 0)
        #expect(list.first == nil)
    }

    @Test("Identity says that nothing changed, in constant time")
    func identity() {
        let list = SlotList(0..<1_000 as Range<UInt32>)
        var copy = list
        #expect(copy.isIdentical(to: list))
        copy.append(5_000)
        #expect(!copy.isIdentical(to: list))
        #expect(list.count == 1_000)
    }

    @Test(
        "Random insertions, removals and copies agree with arrays",
        arguments: [21, 22, 23, 24] as [UInt64])
    func agreesWithModel(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var versions = [(SlotList.empty, [UInt32]())]
        for step in 0..<12_000 as Range<UInt32> {
            let chosen = Int.random(in: 0..<versions.count, using: &random)
            let count = versions[chosen].1.count
            switch Int.random(in: 0..<100, using: &random) {
            case 0:
                let copy = versions[chosen]
                if versions.count > 4 { versions.removeFirst() }
                versions.append(copy)
            case 1..<30 where count > 0:
                let position = Int.random(in: 0..<count, using: &random)
                versions[chosen].0.remove(at: position)
                versions[chosen].1.remove(at: position)
            case 30..<60:
                let position = Int.random(in: 0...count, using: &random)
                versions[chosen].0.insert(step, at: position)
                versions[chosen].1.insert(step, at: position)
            default:
                versions[chosen].0.append(step)
                versions[chosen].1.append(step)
            }
        }
        for (list, model) in versions {
            list.checkInvariants()
            #expect(Array(list.slots) == model, "seed \(seed)")
            #expect(list.count == model.count)
            for position in stride(from: 0, to: model.count, by: 17) {
                #expect(list.slot(at: position) == model[position], "seed \(seed)")
                #expect(list.position(of: model[position]) == position, "seed \(seed)")
            }
            #expect(list.position(of: .max) == nil)
        }
    }

    @Test("Emptying a long list from either end keeps it a valid tree")
    func emptying() {
        for fromFront in [true, false] {
            var list = SlotList(0..<10_000 as Range<UInt32>)
            var model = Array(0..<10_000 as Range<UInt32>)
            while !model.isEmpty {
                let position = fromFront ? 0 : model.count - 1
                list.remove(at: position)
                model.remove(at: position)
                if model.count.isMultiple(of: 997) {
                    list.checkInvariants()
                    #expect(Array(list.slots) == model)
                }
            }
            #expect(list.count == 0)
        }
    }
}
