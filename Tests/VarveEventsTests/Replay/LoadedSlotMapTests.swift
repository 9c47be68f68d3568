import Testing

@testable import VarveEvents

@Suite("Slots of loaded ids")
struct LoadedSlotMapTests {
    @Test("Every id is found, and no other", arguments: [0, 1, 2, 15, 16, 17, 1_000, 20_000])
    func finding(count: Int) {
        var arena = ByteArena()
        var records = RawColumn<ReplayTable.Record>()
        for number in 0..<count {
            withUnsafeBytes(of: number) { id in
                records.append(ReplayTable.Record(id: StoredID(id, in: &arena)))
            }
        }
        let map = LoadedSlotMap(records.elements)
        #expect(map.isEmpty == (count == 0))
        var hashes = RawColumn<UInt64>()
        var found = 0
        for number in 0..<(count + 50) {
            withUnsafeBytes(of: number) { id in
                let hash = KeyedHash.hash(id)
                hashes.append(hash)
                let slot = map.find(id, hash: hash, in: records)
                #expect(slot == (number < count ? UInt32(number) : nil))
                found += slot == nil ? 0 : 1
            }
        }
        #expect(found == count)
        // Whatever it reads stands in the map.
        _ = map.touch(hashes, 0..<hashes.count, in: records)
    }

    @Test("A map of nothing finds nothing")
    func nothing() {
        let map = LoadedSlotMap()
        let records = RawColumn<ReplayTable.Record>()
        withUnsafeBytes(of: 7) { id in
            #expect(map.find(id, hash: .max, in: records) == nil)
            #expect(map.find(id, hash: 0, in: records) == nil)
        }
    }
}
