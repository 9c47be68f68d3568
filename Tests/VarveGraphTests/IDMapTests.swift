import Testing
import VarveTestSupport

@testable import VarveGraph

extension IDMap {
    /// A call that mutates cannot be expected something of in place.
    fileprivate mutating func insertCounting(_ hash: UInt64, _ slot: Slot) -> Int {
        insert(hash, slot)
    }

    /// What the pages take.
    fileprivate var byteCount: Int { root.byteCount }
}

extension IDChild {
    fileprivate var byteCount: Int {
        guard isNode else { return unsafeDowncast(object, to: IDPage.self).header * 8 }
        let node = unsafeDowncast(object, to: IDNode.self)
        return node.withUnsafeMutablePointers { header, children in
            (0..<header.pointee.count).reduce(0) { $0 + children[$1].byteCount }
        }
    }
}

@Suite("Id map")
struct IDMapTests {
    /// Keys by slot; a map finds a slot when the key there is the one looked for.
    private struct Keys {
        var map = IDMap()
        var keys: [UInt64] = []

        func find(_ key: UInt64, hash: UInt64) -> Slot? {
            map.find(hash) { keys[$0.index] == key }
        }

        mutating func insert(_ key: UInt64, hash: UInt64) {
            map.insert(hash, Slot(keys.count))
            keys.append(key)
        }
    }

    private func mixed(_ key: UInt64) -> UInt64 {
        var value = key &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    @Test("Every inserted key is found at its slot and no other is")
    func findsAll() {
        var keys = Keys()
        for key in 0..<50_000 as Range<UInt64> { keys.insert(key, hash: mixed(key)) }
        keys.map.checkInvariants()
        for key in 0..<50_000 as Range<UInt64> {
            #expect(keys.find(key, hash: mixed(key))?.index == Int(key))
        }
        for key in 50_000..<51_000 as Range<UInt64> {
            #expect(keys.find(key, hash: mixed(key)) == nil)
        }
    }

    @Test("What is removed is not found, everything else is, and copies stay as they were")
    func removes() {
        for hash in [{ mixed($0) }, { ($0 % 3) << 34 | $0 }, { _ in 42 }] as [(UInt64) -> UInt64] {
            var keys = Keys()
            let count: UInt64 = hash(1) == mixed(1) ? 20_000 : 500
            for key in 0..<count { keys.insert(key, hash: hash(key)) }
            let copy = keys
            for key in (0..<count).reversed() where key % 3 != 0 {
                keys.map.remove(hash(key), Slot(Int(key)))
            }
            keys.map.checkInvariants()
            for key in 0..<count {
                #expect((keys.find(key, hash: hash(key)) != nil) == (key % 3 == 0))
                #expect(copy.find(key, hash: hash(key))?.index == Int(key))
            }
            keys.map.insert(hash(1), Slot(1))
            #expect(keys.find(1, hash: hash(1))?.index == 1)
        }
    }

    @Test("Pages get smaller with what they hold, and the last entry leaves nothing behind")
    func shrinks() {
        var map = IDMap()
        for key in 0..<20_000 as Range<UInt64> { map.insert(mixed(key), Slot(UInt32(key))) }
        let full = map.byteCount
        for key in 1..<20_000 as Range<UInt64> { map.remove(mixed(key), Slot(UInt32(key))) }
        map.checkInvariants()
        #expect(map.byteCount < full / 4)
        #expect(map.contains(mixed(0), Slot(0)))
        #expect(!map.contains(mixed(1), Slot(1)))
        map.remove(mixed(0), Slot(0))
        #expect(map.nodes().count == 1)
        #expect(map.entries.isEmpty)
        map.insert(mixed(5), Slot(5))
        #expect(map.entries == [IDEntry.make(mixed(5), Slot(5))])
    }

    @Test("It tells how many entries have a tag")
    func crowded() {
        var map = IDMap()
        for key in 0..<2_000 as Range<UInt64> {
            #expect(map.insertCounting(mixed(key), Slot(UInt32(key))) == 1)
        }
        for key in 2_000..<2_140 as Range<UInt64> {
            // With the entry of before.
            let count = Int(key) - 2_000 + 2
            #expect(map.insertCounting(mixed(0), Slot(UInt32(key))) == count)
        }
        map.checkInvariants()
        map.remove(Slot(2_003))
        #expect(!map.contains(mixed(0), Slot(2_003)))
        #expect(map.count == 2_139)
        map.checkInvariants()
    }

    @Test("Equal hashes are kept apart by their keys, in any number")
    func equalHashes() {
        var keys = Keys()
        for key in 0..<1_000 as Range<UInt64> { keys.insert(key, hash: 42) }
        keys.map.checkInvariants()
        for key in 0..<1_000 as Range<UInt64> {
            #expect(keys.find(key, hash: 42)?.index == Int(key))
        }
        #expect(keys.find(1_000, hash: 42) == nil)
    }

    @Test("Hashes that share most of their bits are kept apart by their keys")
    func clusteredHashes() {
        var keys = Keys()
        for key in 0..<5_000 as Range<UInt64> { keys.insert(key, hash: (key % 3) << 34 | key) }
        keys.map.checkInvariants()
        for key in 0..<5_000 as Range<UInt64> {
            #expect(keys.find(key, hash: (key % 3) << 34 | key)?.index == Int(key))
        }
    }

    @Test(
        "A map built at once is one that insertions could have made, and takes more",
        arguments: [0, 1, 7, 96, 97, 128, 3_000, 100_000])
    func built(count: Int) {
        for hash in [{ mixed($0) }, { ($0 % 3) << 34 | $0 }, { _ in 42 }] as [(UInt64) -> UInt64] {
            // Equal tags are looked through one by one.
            let count = hash(1) == mixed(1) ? count : min(count, 3_000)
            var keys = Keys()
            // What is there before stays.
            for key in 0..<UInt64(count / 50) { keys.insert(key, hash: hash(key)) }
            let former = keys.map
            let added = UInt64(count / 50)..<UInt64(count)
            keys.map.insert(
                contentsOf: ContiguousArray(
                    added.map { IDEntry.make(hash($0), Slot(UInt32($0))) }))
            keys.keys += added
            keys.map.checkInvariants()
            #expect(keys.map.count == count)
            #expect(former.count == count / 50)
            for key in UInt64(count)..<UInt64(count + 1_000) { keys.insert(key, hash: hash(key)) }
            keys.map.checkInvariants()
            former.checkInvariants()
            let all = 0..<UInt64(keys.keys.count)
            #expect(all.allSatisfy { keys.find($0, hash: hash($0))?.index == Int($0) })
            #expect(keys.find(all.upperBound, hash: hash(all.upperBound)) == nil)
        }
    }

    @Test("Insertions into a map of its own copy nothing but pages that have to grow")
    func inPlace() {
        var map = IDMap()
        for key in 0..<20_000 as Range<UInt64> { map.insert(mixed(key), Slot(UInt32(key))) }
        let before = map.nodes()
        for key in 20_000..<20_016 as Range<UInt64> { map.insert(mixed(key), Slot(UInt32(key))) }
        #expect(before.subtracting(map.nodes()).count < 8, "a page grows by eight at a time")
        let present = map.nodes()
        let copy = map
        map.insert(mixed(20_016), Slot(UInt32(20_016)))
        #expect((2...5).contains(present.subtracting(map.nodes()).count), "one path is copied")
        #expect(copy.nodes() == present)
    }

    @Test("Copies grow apart without disturbing each other", arguments: [11, 12, 13] as [UInt64])
    func copies(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var versions = [Keys()]
        for step in 0..<20_000 {
            let chosen = Int.random(in: 0..<versions.count, using: &random)
            let key = UInt64.random(in: 0..<1 << 40, using: &random)
            if versions[chosen].find(key, hash: mixed(key)) == nil {
                versions[chosen].insert(key, hash: mixed(key))
            }
            if step.isMultiple(of: 2_000) { versions.append(versions[chosen]) }
        }
        for version in versions {
            version.map.checkInvariants()
            #expect(version.map.count == version.keys.count)
            for (index, key) in version.keys.enumerated() {
                #expect(version.find(key, hash: mixed(key))?.index == index, "seed \(seed)")
            }
        }
    }
}
