import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Indexes that were changed behind the rows' back are found out, with the entry that differs.
@Suite("Differences between indexes and rows")
struct IndexDifferenceTests {
    private static let count = 400

    private static func row(_ number: Int, age: Int64?) throws -> [UInt8] {
        try PeopleLog.row(.init(name: "name \(number * 7_919 % 10_007)", age: age))
    }

    /// People of whom each seventh has no age, with indexes.
    private static func people() throws -> State {
        let people = (0..<count).map { number in
            PeopleLog.Person(
                name: "name \(number * 7_919 % 10_007)",
                age: number % 7 == 0 ? nil : Int64(number % 50))
        }
        return try PeopleLog.state(of: people).changed {
            PeopleLog.build(PeopleLog.declarations, in: $0)
        }
    }

    private static func row(of number: Int, in state: State) throws -> [UInt8] {
        [UInt8](try #require(state.entry(of: PeopleLog.type, at: Slot(UInt32(number)))).row)
    }

    /// The image of the people, with another index at a position among the declarations.
    private static func forged(
        _ position: Int, _ change: (inout FieldIndex, RowLayout, StateTransaction) throws -> Void
    ) throws -> [UInt8] {
        try people().changed { transaction in
            let layout = transaction.tables[0].layout
            try change(&transaction.tables[0].indexes[position].index, layout, transaction)
        }.image().bytes
    }

    /// Changes the entry of a slot, as if its row had changed.
    private static func forged(
        _ position: Int, _ slot: Int, from old: [UInt8]?, to new: [UInt8]?
    ) throws -> [UInt8] {
        func buffer(_ row: [UInt8]) -> UnsafeMutableRawBufferPointer {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: row.count, alignment: 1)
            buffer.copyBytes(from: row)
            return buffer
        }
        let buffers = (old.map(buffer), new.map(buffer))
        defer { buffers.0?.deallocate(); buffers.1?.deallocate() }
        return try forged(position) { index, layout, transaction in
            _ = try index.change(
                Slot(UInt32(slot)), from: buffers.0.map { UnsafeRawBufferPointer($0) },
                to: buffers.1.map { UnsafeRawBufferPointer($0) }, layout,
                in: transaction.transaction)
        }
    }

    private func expect(
        _ kind: IndexDifference.Kind, _ slot: Int, id: String?, byIndexAt position: Int,
        in bytes: [UInt8], location: SourceLocation = #_sourceLocation
    ) throws {
        let properties = [["name"], ["age"], ["age.desc", "name"], ["name.desc", "age.desc"]]
        let difference = IndexDifference(
            kind: kind, type: "Person", properties: properties[position],
            slot: Slot(UInt32(slot)), id: id)
        for keyBytesMax in [2_000, IndexBuilding.usualKeyBytesMax] {
            let state = try State.open(MemorySource(bytes)).state
            let found = try IndexVerificationTests.problems(of: state, keyBytesMax: keyBytesMax)
            #expect(
                found.found == [.difference(difference)], "\(keyBytesMax) bytes",
                sourceLocation: location)
            #expect(found.count == 4, sourceLocation: location)
        }
    }

    @Test("An entry that is missing", arguments: 0..<4, [0, 200, 399])
    func missing(position: Int, slot: Int) throws {
        let row = try Self.row(of: slot, in: Self.people())
        let bytes = try Self.forged(position, slot, from: row, to: nil)
        try expect(.missing, slot, id: "\(slot)", byIndexAt: position, in: bytes)
    }

    @Test("The first and the last entry that are missing")
    func missingAtEnds() throws {
        // By age, nil comes first; then by slot.
        let first = try Self.forged(1, 0, from: Self.row(of: 0, in: Self.people()), to: nil)
        try expect(.missing, 0, id: "0", byIndexAt: 1, in: first)
        let last = try #require((0..<Self.count).last { $0 % 50 == 49 && $0 % 7 != 0 })
        let row = try Self.row(of: last, in: Self.people())
        let behind = try Self.forged(1, last, from: row, to: nil)
        try expect(.missing, last, id: "\(last)", byIndexAt: 1, in: behind)
    }

    @Test("All entries that are missing: the first is named")
    func allMissing() throws {
        let bytes = try Self.forged(1) { index, _, transaction in
            index.removeAll(in: transaction.transaction)
        }
        try expect(.missing, 0, id: "0", byIndexAt: 1, in: bytes)
    }

    @Test("A second entry of a row, before its own and behind it", arguments: 0..<4)
    func second(position: Int) throws {
        for other in [-3, 900] as [Int64] {
            let row = try PeopleLog.row(.init(name: "name \(other)", age: other))
            let bytes = try Self.forged(position, 200, from: nil, to: row)
            try expect(.superfluous, 200, id: "200", byIndexAt: position, in: bytes)
        }
    }

    @Test("An entry of a row that was deleted, and of one that never was")
    func superfluous() throws {
        for position in 0..<4 {
            let row = try Self.row(5, age: 77)
            let past = try Self.forged(position, 100_000, from: nil, to: row)
            try expect(.superfluous, 100_000, id: nil, byIndexAt: position, in: past)
            let people = try Self.people()
            let entry = try #require(people.entry(of: PeopleLog.type, at: Slot(9)))
            let version = try #require(entry.version)
            let old = [UInt8](entry.row)
            let deleted = try UserLog.apply(
                UserLog.transaction(behind: people) { encoder in
                    encoder.delete(
                        encoder.entity(PeopleLog.type, bytes: try Int64(9).storedBytes()),
                        keepsTombstone: position % 2 == 0,
                        ordinal: Ordinal(entry.stamps.ordinal), previous: version, row: old)
                }, to: people)
            let bytes = try deleted.changed { transaction in
                let layout = transaction.tables[0].layout
                _ = try old.withUnsafeBytes { old in
                    try transaction.tables[0].indexes[position].index.change(
                        Slot(9), from: nil, to: old, layout, in: transaction.transaction)
                }
            }.image().bytes
            try expect(.superfluous, 9, id: "9", byIndexAt: position, in: bytes)
        }
    }

    @Test("An entry with another key, a lower one and a higher one", arguments: 0..<4)
    func otherKey(position: Int) throws {
        let row = try Self.row(of: 200, in: Self.people())
        for other in [-3, 900] as [Int64] {
            let changed = try PeopleLog.row(.init(name: "name \(other)", age: other))
            let bytes = try Self.forged(position, 200, from: row, to: changed)
            try expect(.otherKey, 200, id: "200", byIndexAt: position, in: bytes)
        }
    }

    @Test("The comparison goes on with the next index")
    func several() throws {
        let people = try Self.people()
        let rows = try [3, 4].map { try Self.row(of: $0, in: people) }
        let bytes = try people.changed { transaction in
            let layout = transaction.tables[0].layout
            for (row, position) in zip(rows, [0, 2]) {
                _ = try row.withUnsafeBytes { row in
                    try transaction.tables[0].indexes[position].index.change(
                        Slot(UInt32(3 + position / 2)), from: row, to: nil, layout,
                        in: transaction.transaction)
                }
            }
        }.image().bytes
        let found = try IndexVerificationTests.problems(
            of: State.open(MemorySource(bytes)).state)
        #expect(
            found.found == [
                .difference(
                    IndexDifference(
                        kind: .missing, type: "Person", properties: ["name"], slot: Slot(3),
                        id: "3")),
                .difference(
                    IndexDifference(
                        kind: .missing, type: "Person", properties: ["age.desc", "name"],
                        slot: Slot(4), id: "4")),
            ])
    }

    @Test("An entry that a search does not find, because a key above the leaves was changed")
    func misplaced() throws {
        let byAge = IndexDeclaration([.init(FieldNumber(2)), .init(FieldNumber(1))])
        let built = try UserLog.state(count: 2_000).changed {
            _ = try $0.declareIndex(of: UserLog.type, byAge)
        }
        let image = try ForgedImage(built.image())
        let (block, frame) = try #require(image.firstFrame(of: PageKind(.keyPage, level: 1)))
        let cell = frame + KeyPage.cells + KeyPage.cellBytes
        let raw = image.blocks[block].raw
        let offset = frame + Int(raw[cell]) + Int(raw[cell + 1]) << 8
        let last = offset + Int(raw[cell + 2]) + Int(raw[cell + 3]) << 8 - 1
        // A lower key is below the last of the leaf before, a higher one above the first of the leaf behind.
        for byte: UInt8 in [0, 0xFF] {
            var forged = image
            forged.blocks[block].raw[last] = byte
            let state = try State.open(MemorySource(try forged.bytes())).state
            let found = try IndexVerificationTests.problems(of: state).found
            guard case .difference(let difference)? = found.first else {
                Issue.record("\(found)")
                continue
            }
            #expect(difference.kind == .misplaced && found.count == 1)
            // No search finds the entry.
            let entry = try #require(state.entry(of: UserLog.type, at: difference.slot))
            let index = try #require(state.index(of: UserLog.type, byAge))
            var key = ByteWriter()
            try index.writeEntry(
                entry.slot, entry.row, RowLayout(UserLog.definition), into: &key)
            #expect(!key.withBytes { index.tree.contains($0, in: state.pages) })
        }
    }

    @Test("An entry that a search does not find, because it comes behind a higher one")
    func unordered() throws {
        var image = try ForgedImage(Self.people().image())
        let (block, frame) = try #require(image.firstFrame(of: PageKind(.keyPage)))
        let cell = frame + KeyPage.cells
        let raw = image.blocks[block].raw
        let end = frame + Int(raw[cell]) + Int(raw[cell + 1]) << 8 + Int(raw[cell + 2])
        let slot = raw[end - 4..<end].reduce(0) { $0 << 8 | Int($1) }
        let cells = (cell..<cell + 4, cell + 4..<cell + 8)
        image.blocks[block].raw.replaceSubrange(cells.0, with: raw[cells.1])
        image.blocks[block].raw.replaceSubrange(cells.1, with: raw[cells.0])
        let found = try IndexVerificationTests.problems(
            of: State.open(MemorySource(try image.bytes())).state
        ).found
        guard case .difference(let difference)? = found.first, found.count == 1 else {
            Issue.record("\(found)")
            return
        }
        #expect(difference.kind == .misplaced && difference.slot == Slot(UInt32(slot)))
    }

    @Test("A row that has no key is named")
    func malformedRow() throws {
        let people = try Self.people()
        let bytes = try people.changed { transaction in
            let metadata = transaction.tables[0].rows.entry(
                Slot(12), in: transaction.transaction.pages
            ).metadata
            _ = [0xFF as UInt8].withUnsafeBytes {
                transaction.tables[0].rows.set(
                    Slot(12), row: $0, metadata, in: transaction.transaction)
            }
        }.image().bytes
        let found = try IndexVerificationTests.problems(
            of: State.open(MemorySource(bytes)).state)
        #expect(found.found.count == 4)
        for problem in found.found {
            guard case .row("Person", "12", .malformedRow) = problem else {
                Issue.record("\(problem)")
                continue
            }
        }
    }
}
