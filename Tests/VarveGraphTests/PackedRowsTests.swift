import Dispatch
import Testing
import VarveEvents

@testable import VarveGraph

@EntityModel
private struct Note {
    @Index<Self>(\.rank) private var rankIndex

    let id: String
    var title: String
    var rank: Int

}

/// `Codable` alone, so a log has it as JSON.
private struct Moment: Codable, Equatable, Sendable {
    var text: String
}

@EntityModel
private struct Clocked {
    let id: Int
    var moments: [Moment?]
}

@Suite("Rows that are kept as bytes")
struct PackedRowsTests {
    private static func note(_ number: Int, title: String? = nil) -> Note {
        Note(
            id: "a note with the number \(number)", title: title ?? "the title of \(number)",
            rank: number % 7)
    }

    /// A table of notes that were loaded, with the ordinals that a closure gives them.
    private static func loaded(
        _ notes: [Note], ordinal: (Int) -> UInt64 = { UInt64($0) + 1 }
    ) throws -> Table<Note> {
        let table = Table<Note>(descriptor: Note._descriptor)
        for start in stride(from: 0, to: notes.count, by: 256) {
            let batch = Array(notes[start..<min(start + 256, notes.count)].enumerated())
            let bytes = try batch.map { _, note in
                var id = ByteWriter()
                var row = ByteWriter()
                try Note._storeID(note.id, into: &id)
                try note._store(into: &row)
                return (id: id.withBytes { [UInt8]($0) }, row: row.withBytes { [UInt8]($0) })
            }
            let memory = bytes.map { (copy(of: $0.id), copy(of: $0.row)) }
            defer {
                for (id, row) in memory {
                    id.deallocate()
                    row.deallocate()
                }
            }
            let entities = memory.enumerated().map { position, memory in
                LoadedEntity(
                    id: UnsafeRawBufferPointer(memory.0), row: UnsafeRawBufferPointer(memory.1),
                    metadata: RowMetadata(
                        ordinal: ordinal(start + position), updatedAt: Int64(start),
                        transaction: 3))
            }
            try entities.withUnsafeBufferPointer { try table.load($0) }
        }
        table.finishLoading()
        for index in table.indexDefinitions.indices {
            table.indexContents[index] = table.builtIndex(index)
        }
        return table
    }

    private static func copy(of bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        memory.copyBytes(from: bytes)
        return memory
    }

    private static func isPacked(_ table: Table<Note>, _ index: Int) -> Bool {
        table.settledPlace(at: Slot(index))?.isPacked ?? false
    }

    private static func isSame(_ first: Note?, _ second: Note) -> Bool {
        first?.id == second.id && first?.title == second.title && first?.rank == second.rank
    }

    @Test("Rows that were loaded read as those that were written, however they are read")
    func values() throws {
        let notes = (0..<1_003).map { Self.note($0) }
        let table = try Self.loaded(notes)
        #expect(table.liveCount == 1_003)
        #expect((0..<1_000).allSatisfy { Self.isPacked(table, $0) })
        // The last leaf is not full, and what comes next would change it.
        #expect((1_000..<1_003).allSatisfy { !Self.isPacked(table, $0) })
        for (number, note) in notes.enumerated() {
            let slot = Slot(number)
            #expect(table.hasRow(at: slot))
            #expect(table.id(of: slot) == note.id)
            #expect(table.hasID(note.id, at: slot))
            #expect(!table.hasID("another", at: slot))
            #expect(table.slot(of: note.id) == slot)
            #expect(table.withRow(at: slot, isOnce: true) { $0.pointee.title } == note.title)
            #expect(
                table.metadata(of: slot)
                    == RowMetadata(
                        ordinal: UInt64(number) + 1, updatedAt: Int64(number / 256 * 256),
                        transaction: 3))
        }
        #expect(!table.hasRow(at: Slot(1_003)))
        #expect(!table.hasRow(at: Slot(1_007)))
        #expect(table.copyOfRow(of: "another") == nil)
        table.checkRows()
        for (number, note) in notes.enumerated() {
            #expect(Self.isSame(table.row(at: Slot(number))?.pointee, note))
            #expect(Self.isSame(table.copyOfRow(of: note.id), note))
            #expect(!Self.isPacked(table, number))
        }
        table.checkRows()
    }

    @Test("Metadata that differ within a leaf are kept for each row")
    func unequalMetadata() throws {
        let notes = (0..<24).map { Self.note($0) }
        let table = try Self.loaded(notes) { UInt64($0 * 3 + 1) }
        for number in 0..<24 {
            #expect(table.metadata(of: Slot(number)).ordinal == UInt64(number * 3 + 1))
            #expect(Self.isPacked(table, number))
        }
        #expect(Self.isSame(table.copyOfRow(at: Slot(17)), notes[17]))
        table.checkRows()
    }

    @Test("Rows that come out of their order are found in their order")
    func unordered() throws {
        let ordinals: [UInt64] = (0..<30).map { UInt64(($0 * 7) % 30 + 1) }
        let table = try Self.loaded((0..<30).map { Self.note($0) }) { ordinals[$0] }
        table.checkRows()
        #expect(table.liveSlots().map { ordinals[Int($0)] } == ordinals.sorted())
        var visited: [Int] = []
        table.forEachRow { slot, _ in
            visited.append(slot.index)
            return true
        }
        #expect(visited.map { ordinals[$0] } == ordinals.sorted())
    }

    @Test("Large rows are kept as values")
    func largeRows() throws {
        let text = String(repeating: "long ", count: 300)
        let notes = (0..<40).map { Self.note($0, title: $0 < 16 ? nil : text) }
        let table = try Self.loaded(notes)
        #expect((0..<16).allSatisfy { Self.isPacked(table, $0) })
        #expect((16..<40).allSatisfy { !Self.isPacked(table, $0) })
        for (number, note) in notes.enumerated() {
            #expect(Self.isSame(table.copyOfRow(at: Slot(number)), note))
        }
        table.checkRows()
    }

    @Test(
        "What is looked up so often is made a value with all that is beside it: later in a large table",
        arguments: [(16, 8), (TableAhead.leastSlotCount, 64)])
    func counted(rowCount: Int, lookUps: Int) throws {
        let notes = (0..<rowCount).map { Self.note($0) }
        let table = try Self.loaded(notes)
        for count in 1..<lookUps {
            #expect(Self.isSame(table.copyOfRow(of: notes[count % 8].id), notes[count % 8]))
            #expect(Self.isPacked(table, 0))
        }
        #expect(Self.isSame(table.copyOfRow(of: notes[3].id), notes[3]))
        #expect(!Self.isPacked(table, 0))
        #expect(Self.isPacked(table, 8))
        #expect(Self.isSame(table.copyOfRow(of: notes[3].id), notes[3]))
    }

    @Test("Look-ups make no more leaves of a large table, and its copies, than a small one has")
    func madeLeavesOfLargeTable() throws {
        let notes = (0..<TableAhead.leastSlotCount + 80).map { Self.note($0) }
        let table = try Self.loaded(notes)
        let copy = Table(copying: table)
        for start in stride(from: 0, to: notes.count, by: PackedLeaf.width) {
            let reader = start.isMultiple(of: 16) ? table : copy
            for _ in 0..<64 { _ = reader.copyOfRow(of: notes[start].id) }
        }
        let made = stride(from: 0, to: notes.count, by: PackedLeaf.width).filter {
            !Self.isPacked(table, $0)
        }
        #expect(made == Array(stride(from: 0, to: TableAhead.leastSlotCount, by: 8)))
        for number in stride(from: 0, to: notes.count, by: 7) {
            #expect(Self.isSame(copy.copyOfRow(of: notes[number].id), notes[number]))
        }
    }

    @Test("A copy that changes a row leaves the bytes, and the rows beside, to the other one")
    func changed() throws {
        let notes = (0..<1_000).map { Self.note($0) }
        let table = try Self.loaded(notes)
        let copy = Table(copying: table)
        let stamp = Stamp(time: 9, transaction: 4)
        for number in stride(from: 0, to: 1_000, by: 5) {
            if number.isMultiple(of: 2) { _ = table.row(at: Slot(number)) }
            var changed = notes[number]
            changed.title = "another title"
            changed.rank += 10
            copy.put(changed, at: Slot(number), stamp: stamp, ordinal: nil)
        }
        copy.clearJournalForTest()
        for (number, note) in notes.enumerated() {
            #expect(Self.isSame(table.copyOfRow(at: Slot(number)), note))
            let isChanged = number.isMultiple(of: 5)
            #expect(
                copy.copyOfRow(at: Slot(number))?.title
                    == (isChanged ? "another title" : note.title))
            #expect(copy.metadata(of: Slot(number)).transaction == (isChanged ? 4 : 3))
        }
        table.checkRows()
        copy.checkRows()
    }

    @Test("A table that has its rows to itself changes them where they were made")
    func inPlace() throws {
        let notes = (0..<16).map { Self.note($0) }
        let table = try Self.loaded(notes)
        let address = table.row(at: Slot(3))
        var changed = notes[2]
        changed.title = "another title"
        table.put(changed, at: Slot(2), stamp: Stamp(time: 9, transaction: 4), ordinal: nil)
        #expect(table.row(at: Slot(3)) == address)
        #expect(table.copyOfRow(at: Slot(2))?.title == "another title")
        table.remove(at: Slot(9), stamp: Stamp(time: 9, transaction: 4), keepsPlace: false)
        #expect(!table.hasRow(at: Slot(9)))
        #expect(table.id(of: Slot(9)) == notes[9].id)
        table.clearJournalForTest()
        table.checkRows()
        #expect(table.liveCount == 15)
    }

    @Test(
        "What was made for two is taken over by the last one that has it, with the directory right for both"
    )
    func lastOfTwo() throws {
        let notes = (0..<2_000).map { Self.note($0) }
        let table = try Self.loaded(notes)
        let stamp = Stamp(time: 9, transaction: 4)
        var changed = notes[2]
        changed.title = "another title"
        do {
            let copy = Table(copying: table)
            #expect(copy.cells.directory === table.cells.directory)
            let address = table.row(at: Slot(3))
            #expect(copy.row(at: Slot(3)) == address)
            copy.put(changed, at: Slot(2), stamp: stamp, ordinal: nil)
            #expect(table.row(at: Slot(3)) == address)
            #expect(copy.row(at: Slot(3)) != address)
            copy.clearJournalForTest()
            // The directory is still shared, and the leaf is not any more.
            table.put(changed, at: Slot(1), stamp: stamp, ordinal: nil)
            #expect(table.row(at: Slot(3)) == address)
            #expect(table.copyOfRow(at: Slot(1))?.title == "another title")
            #expect(Self.isSame(copy.copyOfRow(at: Slot(1)), notes[1]))
            #expect(Self.isSame(table.copyOfRow(at: Slot(2)), notes[2]))
            copy.cells.checkDirectory()
            table.cells.checkDirectory()
            for number in 3..<2_000 {
                #expect(Self.isSame(copy.copyOfRow(at: Slot(number)), notes[number]))
            }
        }
        table.clearJournalForTest()
        for number in stride(from: 8, to: 2_000, by: 9) {
            table.put(notes[number], at: Slot(number), stamp: stamp, ordinal: nil)
        }
        table.clearJournalForTest()
        table.cells.checkDirectory()
        for number in 3..<2_000 {
            #expect(Self.isSame(table.copyOfRow(at: Slot(number)), notes[number]))
        }
    }

    @Test(
        "A directory that is renewed takes over what was made of packed leaves, right for both who had the former one"
    )
    func renewedDirectory() throws {
        let notes = (0..<4_000).map { Self.note($0) }
        let table = try Self.loaded(notes)
        // Their words lead to what is made of them now.
        let addresses = (0..<100).map { table.row(at: Slot($0 * 8)) }
        let stamp = Stamp(time: 9, transaction: 4)
        var changed = notes
        do {
            let copy = Table(copying: table)
            // More leaves than may be missing before a directory is renewed, and none of those.
            for number in stride(from: 2_000, to: 4_000, by: 8) {
                changed[number].title = "another title of \(number)"
                copy.put(changed[number], at: Slot(number), stamp: stamp, ordinal: nil)
            }
            copy.clearJournalForTest()
            #expect(copy.cells.directory !== table.cells.directory)
            #expect((0..<100).map { copy.row(at: Slot($0 * 8)) } == addresses)
            for (version, expected) in [(copy, changed), (table, notes)] {
                version.cells.checkDirectory()
                for number in 0..<4_000 {
                    #expect(Self.isSame(version.copyOfRow(at: Slot(number)), expected[number]))
                }
            }
        }
        // The last one that has the packed leaves takes over what was made of them.
        for number in stride(from: 1, to: 800, by: 8) {
            let note = Self.note(number, title: "the last title of \(number)")
            table.put(note, at: Slot(number), stamp: stamp, ordinal: nil)
            #expect(table.row(at: Slot(number - 1)) == addresses[number / 8])
        }
        table.cells.checkDirectory()
    }

    @Test("Types that are read by an initializer of their own are kept as values")
    func unpackable() {
        #expect(Note._descriptor.mayBePacked)
        #expect(!Clocked._descriptor.mayBePacked)
    }

    @Test("Threads that want the same rows at once get the same addresses")
    func concurrent() throws {
        let table = try Self.loaded((0..<20_000).map { Self.note($0) })
        // Reading a table is safe from several threads, and each writes to a row of its own.
        nonisolated(unsafe) let shared = table
        let threads = 4
        let found = UnsafeMutableBufferPointer<UnsafePointer<Note>?>.allocate(
            capacity: threads * 20_000)
        defer { found.deallocate() }
        nonisolated(unsafe) let addresses = found
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for number in 0..<20_000 {
                addresses[thread * 20_000 + number] = shared.row(at: Slot(number))
            }
        }
        for number in 0..<20_000 {
            #expect(found[number] != nil)
            for thread in 1..<threads {
                #expect(found[thread * 20_000 + number] == found[number])
            }
        }
        table.checkRows()
    }

    @Test("An id with bytes behind it, and a row that cannot be read, are refused")
    func malformed() throws {
        let table = Table<Note>(descriptor: Note._descriptor)
        let long = Self.copy(of: [1, 65, 66])
        let short = Self.copy(of: [5, 65])
        let id = Self.copy(of: [1, 65])
        defer { for bytes in [long, short, id] { bytes.deallocate() } }
        let metadata = RowMetadata(ordinal: 1, updatedAt: 1, transaction: 1)
        for (id, row) in [(long, short), (id, short)] {
            let entity = LoadedEntity(
                id: UnsafeRawBufferPointer(id), row: UnsafeRawBufferPointer(row),
                metadata: metadata)
            #expect(throws: CodecError.self) {
                try withUnsafePointer(to: entity) {
                    try table.load(UnsafeBufferPointer(start: $0, count: 1))
                }
            }
        }
    }
}

extension Table {
    fileprivate func clearJournalForTest() {
        while !rowJournal.isEmpty { rowJournal.removeLast() }
        beforeRows.removeAll()
        journalWasShortened()
    }
}
