import Foundation
import Testing
import Varve
import VarveGraph
import VarveLog
import VarveReplay
import VarveTestSupport

/// Types with values that only the app's code can read.
private enum TriedModel {
    enum Priority: String { case low, high }

    @Storable
    enum Change: Equatable {
        case created
        case moved(to: String)
    }

    struct Settings: Codable, Equatable {
        var isMuted = false
    }

    @EntityModel("Ticket")
    struct Ticket {
        let id: Int
        var priority: TriedModel.Priority
        var change: TriedModel.Change
        var settings: TriedModel.Settings
        var title: String
        @Index<Self>(\.title) private var byTitle
    }
}

/// The same with less, and in another form.
private enum LesserTriedModel {
    enum Priority: String { case low }

    struct Settings: Codable, Equatable {
        var isMuted = false
    }

    @EntityModel("Ticket")
    struct Ticket {
        let id: Int
        var priority: LesserTriedModel.Priority
        var change: TriedModel.Change
        var settings: LesserTriedModel.Settings
        var title: String
        @Index<Self>(\.title) private var byTitle
    }
}

/// A type whose ids only the app's code can read.
private enum Region: String { case north, south }

@EntityModel("Area")
private struct Area {
    let id: Region
    var priority: TriedModel.Priority
}

private typealias Ticket = TriedModel.Ticket

/// A checkpoint notes which types' rows a build has tried, so that the next opening by that build need not read them.
@Suite("Rows that were tried")
struct TriedRowsTests {
    private static let build = BuildIdentity(1, 2)

    private static func open(
        _ disk: SimulatedDisk, _ mode: Store.Mode = .readWrite,
        as type: any EntityModelProtocol.Type = Ticket.self, by build: BuildIdentity? = build,
        isWaiting: Bool = true
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: UInt64(disk.operations.count + 1)),
            mode: mode, durability: .commit, retention: .everything, compactsAutomatically: false,
            loading: .whenRead, types: [type], waitingSlotsMin: isWaiting ? 0 : .max, build: build)
    }

    private static func ticket(_ id: Int, _ priority: TriedModel.Priority = .high) -> Ticket {
        Ticket(
            id: id, priority: priority, change: id % 3 == 0 ? .created : .moved(to: "desk \(id)"),
            settings: .init(isMuted: id % 2 == 0), title: "ticket \(id)")
    }

    /// Tickets and a tombstone, behind a compaction.
    private static func makeDisk(by build: BuildIdentity? = build) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk, by: build)
        for start in stride(from: 0, to: 5_000, by: 1_000) {
            try store.write { context in
                for id in start..<start + 1_000 { try ticket(id).save(to: &context) }
            }
        }
        try store.write { try Ticket.delete(id: 7, from: &$0) }
        try store.compact()
        try store.close()
        return disk
    }

    private static func write(
        _ disk: SimulatedDisk, by build: BuildIdentity? = build,
        _ body: (inout Context) throws -> Void
    ) throws {
        let store = try open(disk, by: build)
        try store.write { try body(&$0) }
        try store.close()
    }

    private static func filled(_ store: Store) -> [String] {
        store.context.tables.tables.unfilled.filter(\.hasFilled).map(\.descriptor.name).sorted()
    }

    /// The tickets and the tombstones, with their stamps.
    private static func describe(_ context: Context) -> [String] {
        Ticket.query().resolve(in: context).map {
            "\($0) \($0.updatedAt(in: context)?.timeIntervalSince1970 ?? -1)"
        }
            + Deleted<Ticket>.query().resolve(in: context).map {
                "deleted \($0.entity) \($0.updatedAt(in: context)?.timeIntervalSince1970 ?? -1)"
            }
    }

    private static let all = ["Deleted<Ticket>", "Ticket"]

    @Test("Behind a compaction their table waits, and shows what it shows when it does not")
    func waits() throws {
        let disk = try Self.makeDisk()
        let expected = Self.describe(try Self.open(disk, .readOnly, isWaiting: false).context)
        #expect(expected.count == 5_000)
        for mode in [Store.Mode.readOnly, .readWrite] {
            let store = try Self.open(disk, mode)
            #expect(Self.filled(store) == [])
            let ticket: Ticket? = store.context.find(8)
            #expect(ticket?.change == .moved(to: "desk 8"))
            #expect(Self.filled(store) == [])
            #expect(Ticket.query().filter(\.title == "ticket 9").count(in: store.context) == 1)
            #expect(Self.describe(store.context) == expected)
            store.context.checkInvariants()
            try store.close()
        }
    }

    @Test("Another build, a build that is not known, and a type of another name read all rows")
    func otherReaders() throws {
        let disk = try Self.makeDisk()
        for build in [BuildIdentity(1, 3), nil] {
            #expect(Self.filled(try Self.open(disk, .readOnly, by: build)) == Self.all)
        }
        #expect(Self.filled(try Self.open(disk, .readOnly)) == [])
        #expect(Self.filled(try Self.open(try Self.makeDisk(by: nil), .readOnly)) == Self.all)
        // The same program, with a type that reads less.
        let store = try Self.open(disk, .readOnly, as: LesserTriedModel.Ticket.self)
        #expect(Self.filled(store).contains("Ticket"))
        #expect(LesserTriedModel.Ticket.query().count(in: store.context) == 0)
        #expect(store.opening.unread.values.count == 5_000)
    }

    @Test("Rows behind the checkpoint are tried by the opening")
    func rowsBehind() throws {
        let disk = try Self.makeDisk()
        try Self.write(disk, by: BuildIdentity(1, 3)) { context in
            try Self.ticket(5_000, .low).save(to: &context)
            try Ticket.delete(id: 8, from: &context)
            try Ticket.query(9).resolve(in: context)?.with(title: "renamed").save(to: &context)
        }
        let store = try Self.open(disk)
        #expect(Self.filled(store) == [])
        let added: Ticket? = store.context.find(5_000)
        #expect(added?.priority == .low)
        #expect(Self.filled(store) == [])
        #expect(Deleted<Ticket>.query().count(in: store.context) == 2)
        #expect(Ticket.query().filter(\.title == "renamed").count(in: store.context) == 1)
    }

    @Test("Where many rows are behind the checkpoint, all are read")
    func manyRowsBehind() throws {
        let disk = try Self.makeDisk()
        for (count, expected) in [(200, []), (400, Self.all)] {
            try Self.write(disk) { context in
                for id in 5_000..<5_000 + count { try Self.ticket(id).save(to: &context) }
            }
            #expect(Self.filled(try Self.open(disk, .readOnly)) == expected, "\(count)")
        }
    }

    @Test(
        "A type with ids of the app's own, which links alone may mention, is read by every opening")
    func ownIDs() throws {
        let disk = SimulatedDisk()
        let store = try Self.open(disk, as: Area.self)
        try store.write { try Area(id: .north, priority: .low).save(to: &$0) }
        try store.compact()
        try store.close()
        #expect(Self.filled(try Self.open(disk, as: Area.self)) == ["Area"])
    }

    @Test(
        "One row behind the checkpoint that cannot be read has all be read, and is left out as ever"
    )
    func unreadableBehind() throws {
        let disk = SimulatedDisk()
        let first = try Self.open(disk, as: LesserTriedModel.Ticket.self)
        try first.write { context in
            for id in 0..<100 {
                try LesserTriedModel.Ticket(
                    id: id, priority: .low, change: .created, settings: .init(), title: "\(id)"
                ).save(to: &context)
            }
        }
        try first.compact()
        try first.close()
        #expect(Self.filled(try Self.open(disk, as: LesserTriedModel.Ticket.self)) == [])
        try Self.write(disk, by: BuildIdentity(1, 3)) { try Self.ticket(100).save(to: &$0) }
        let store = try Self.open(disk, as: LesserTriedModel.Ticket.self)
        #expect(Self.filled(store).contains("Ticket"))
        #expect(LesserTriedModel.Ticket.query().count(in: store.context) == 100)
        #expect(store.opening.unread.values.map(\.id) == ["100"])
    }

    @Test(
        "A compaction tries what was set since the one before, and notes nothing of rows that it cannot read"
    )
    func laterCompactions() throws {
        let disk = try Self.makeDisk()
        // By another build: all rows are tried again.
        let other = BuildIdentity(1, 3)
        for (id, build) in [(6_000, Self.build), (6_001, other)] {
            let store = try Self.open(disk, by: build)
            try store.write { try Self.ticket(id).save(to: &$0) }
            try store.compact()
            try store.close()
            #expect(Self.filled(try Self.open(disk, .readOnly, by: build)) == [])
        }
        #expect(Self.filled(try Self.open(disk, .readOnly)) == Self.all)
        let lesser = try Self.open(disk, as: LesserTriedModel.Ticket.self)
        try lesser.write { context in
            try LesserTriedModel.Ticket(
                id: 9_000, priority: .low, change: .created, settings: .init(), title: "low"
            ).save(to: &context)
        }
        try lesser.compact()
        try lesser.close()
        let reopened = try Self.open(disk, .readOnly, as: LesserTriedModel.Ticket.self)
        #expect(Self.filled(reopened).contains("Ticket"))
        #expect(reopened.opening.unread.values.count == 5_002)
    }

    @Test("A process has one identity, whichever thread asks")
    func process() async {
        let own = BuildIdentity.ofProcess
        #expect(own != nil)
        let other = await Task.detached { BuildIdentity.ofProcess }.value
        #expect(own == other)
    }
}

extension TriedModel.Ticket {
    fileprivate func with(title: String) -> Self {
        var ticket = self
        ticket.title = title
        return ticket
    }
}
