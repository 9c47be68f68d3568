import Testing
import Varve
import VarveTestSupport

/// Everything of a part and of a box.
enum Grown {
    @EntityModel("Part")
    struct Part {
        let id: Int
        var name = ""
        var count = 0
        var level: Int32 = 0
        var size: Int? = nil
        var mood: LaterValues.Temper
        var state: LaterValues.OpenState
        var place: Former.Place
        var note: Former.Note
        @Relationship(inverse: \.parts) var boxes: [Box]?
        @Relationship var owner: Box? = nil
    }

    @EntityModel("Box")
    struct Box {
        let id: String
        var label = "l"
        @Relationship(inverse: \.boxes) var parts: [Part]?
    }
}

/// A part of which nothing but the raw value matters.
enum Raw {
    @EntityModel("Part")
    struct Tempered {
        let id: Int
        var mood: LaterValues.Temper
    }

    /// The version before, which needs a mood.
    @EntityModel("Part")
    struct Needing {
        let id: Int
        var mood: Former.Mood
    }

    /// The version before, where there may be none.
    @EntityModel("Part")
    struct Unsure {
        let id: Int
        var mood: Former.Mood?
    }

    /// The newer version, where there may be none.
    @EntityModel("Part")
    struct Later {
        let id: Int
        var mood: LaterValues.Temper?
    }
}

/// An enumeration gets a new case, and the store meets an older version of the app.
@Suite("A new case of an enumeration")
struct NewCaseTests {
    private func open(
        _ disk: SimulatedDisk, _ types: any EntityModelProtocol.Type...
    ) throws -> Store {
        try Store(
            in: disk, mode: .readWrite, durability: .commit, compactsAutomatically: false,
            types: types)
    }

    @Test("Values from before, undo and states of the past are as they were")
    func undo() throws {
        typealias Part = Grown.Part
        let disk = try EarlierStore.former.disk()
        let store = try open(disk, Part.self)
        let first = { try Part.require(1, in: $0) }
        try store.write("Wait") { context in
            _ = try Part.query(1).update(in: &context) {
                ($0.mood, $0.state) = (.medium, .waiting(until: 5))
            }
        }
        #expect(try first(store.context).state == .waiting(until: 5))
        try store.undo()
        #expect(try first(store.context).state == .paused)
        #expect(try first(store.context).mood == .low)
        // Of a step from before the case.
        #expect(try store.undo().label == "Change")
        #expect(try first(store.context).count == 1)
        #expect(Part.query(3).resolve(in: store.context)?.state == .open)
        for _ in 0..<2 { try store.redo() }
        #expect(try first(store.context).mood == .medium)
        #expect(try first(store.context).state == .waiting(until: 5))
        let versions = try store.history(of: Part.self, id: 1)
        #expect(versions.last?.entity?.state == .paused)
        let past = try store.context(asOf: .transaction(1))
        #expect(Part.query(2).resolve(in: past)?.state == .done(by: "me"))
    }

    @Test("An older version is refused by a Storable enumeration whose case it lacks, by name")
    func olderStorable() throws {
        let disk = try EarlierStore.former.disk()
        // The definition alone, without a value.
        let store = try open(disk, LaterValues.Tempered.self)
        try store.write { context in
            _ = try LaterValues.Tempered.query(1).update(in: &context) { $0.mood = .high }
        }
        try store.close()
        let image = disk.image.withoutLock
        #expect {
            _ = try open(disk, Former.Part.self)
        } throws: { error in
            guard case StoreError.schema(let problems) = error else { return false }
            return problems.map(\.type) == ["Part"] && problems.map(\.property) == ["state"]
                && "\(error)".contains("case 'waiting' is gone")
        }
        #expect(disk.image.withoutLock == image)
    }

    @Test("An older version opens a store with a raw value that it lacks, and keeps it")
    func olderRaw() throws {
        let disk = try EarlierStore.former.disk()
        let store = try open(disk, Raw.Tempered.self)
        try store.write { context in
            _ = try Raw.Tempered.query(1).update(in: &context) { $0.mood = .medium }
        }
        try store.close()
        do {
            let former = try open(disk, Raw.Needing.self)
            #expect(Raw.Needing.query().resolve(in: former.context).map(\.id) == [2])
            #expect(former.opening.unread.values.map(\.value) == ["\"medium\""])
            #expect {
                try former.write { try Raw.Needing(id: 1, mood: .low).save(to: &$0) }
            } throws: { error in
                guard case StoreError.unreadable(let value) = error else { return false }
                return value.property == "mood" && value.id == "1"
            }
            try former.close()
        }
        do {
            let unsure = try open(disk, Raw.Unsure.self)
            #expect(Raw.Unsure.query().resolve(in: unsure.context).map(\.mood) == [nil, .high])
            try unsure.write { context in
                _ = try Raw.Unsure.query(2).update(in: &context) { $0.mood = .low }
            }
            try unsure.close()
        }
        let again = try open(disk, Raw.Later.self)
        #expect(Raw.Later.query().resolve(in: again.context).map(\.mood) == [.medium, .low])
    }
}
