import Testing
import Varve
import VarveGraph
import VarveLog
import VarveTestSupport

private enum Stage: String, CaseIterable { case open, closed, waiting }

private enum Urgency: Int, CaseIterable { case low = -1, high = 7 }

/// Without case: values that are equal are stored as other bytes.
private struct Mail: RawRepresentable, Hashable, Sendable {
    let rawValue: String

    static func == (first: Mail, second: Mail) -> Bool {
        first.rawValue.lowercased() == second.rawValue.lowercased()
    }

    func hash(into hasher: inout Hasher) { hasher.combine(rawValue.lowercased()) }
}

@EntityModel
private struct Guest: Equatable {
    @Unique<Self>(\.mail, collisions: .throw) private var byMail
    let id: Int
    var mail: Mail
}

@EntityModel
private struct Ticket: Equatable {
    @HashIndex<Self>(\.stage) private var byStage
    @HashIndex<Self>(\.urgency, \.stage) private var byUrgency
    @Unique<Self>(\.stage, \.number, collisions: .throw) private var byNumber
    @Index<Self>(\.due.nilFirst) private var byDue
    @Index<Self>(\.title.nilFirst.desc) private var byTitle

    let id: Int
    var stage: Stage
    var urgency: Urgency?
    var number: Int
    var due: Int?
    var title: String?

    init(_ number: Int) {
        id = number
        stage = number % 900 == 5 ? .waiting : number % 2 == 0 ? .open : .closed
        urgency = number % 700 == 3 ? .high : number % 3 == 0 ? .low : nil
        self.number = number
        due = number % 400 == 0 ? nil : number * 7919 % 10_007
        title = number % 450 == 1 ? nil : "title \(number * 31 % 5_003)"
    }
}

/// What one build of an app has as `Task`, and what a later one has: with one stage more.
private enum NewerBuild {
    enum Stage: Int { case first = 1, second, third }

    @EntityModel("Task")
    struct Task: Equatable {
        @HashIndex<Self>(\.stage) private var byStage
        let id: Int
        var stage: Stage?
    }
}

private enum OlderBuild {
    enum Stage: Int { case first = 1, second }

    @EntityModel("Task")
    struct Task: Equatable {
        @HashIndex<Self>(\.stage) private var byStage
        let id: Int
        var stage: Stage?
    }
}

/// Of indexes about values of an app's own types, and about optional ones.
@Suite("Stored indexes of raw values and of optional properties")
struct StoredValueIndexTests {
    private static let count = 20_000

    private static func open(
        _ disk: SimulatedDisk, _ type: any EntityModelProtocol.Type
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1),
            configuration: LogConfiguration(), mode: .readWrite, durability: .commit,
            retention: .everything, compactsAutomatically: false, loading: .whenRead,
            types: [type], waitingSlotsMin: 0)
    }

    private static func makeDisk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk, Ticket.self)
        try store.write { context in
            for number in 0..<count { try Ticket(number).save(to: &context) }
        }
        try store.compact()
        try store.close()
        return disk
    }

    private static func isFilled(_ context: Context, _ type: String) -> Bool {
        context.tables.tables.unfilled.contains { $0.hasFilled && $0.descriptor.name == type }
    }

    private static func check(_ context: Context, _ all: [Ticket]) {
        func expect(
            _ query: QueryList<Ticket>, _ tickets: [Ticket],
            location: SourceLocation = #_sourceLocation
        ) {
            #expect(query.resolve(in: context) == tickets, sourceLocation: location)
            let isFilled = isFilled(context, "Ticket")
            #expect(!isFilled, sourceLocation: location)
        }
        expect(Ticket.filter(\.stage == .waiting), all.filter { $0.stage == .waiting })
        expect(
            Ticket.filter(\.urgency == .high && \.stage == .closed),
            all.filter { $0.urgency == .high && $0.stage == .closed })
        expect(
            Ticket.filter(\.stage == .closed && \.number == 77),
            all.filter { $0.stage == .closed && $0.number == 77 })
        expect(Ticket.filter(\.due == nil), all.filter { $0.due == nil })
        expect(Ticket.filter(\.due == 7919), all.filter { $0.due == 7919 })
        expect(Ticket.filter(\.due < 20), all.filter { ($0.due ?? .max) < 20 })
        expect(Ticket.filter(\.due > 9_990), all.filter { ($0.due ?? 0) > 9_990 })
        expect(Ticket.filter(\.title == nil), all.filter { $0.title == nil })
        expect(Ticket.filter(\.title == "title 31"), all.filter { $0.title == "title 31" })
        let byDue = all.sorted { ($0.due ?? -1, $0.id) < ($1.due ?? -1, $1.id) }
        expect(Ticket.query().sorted(by: \.due.nilFirst).limit(12), Array(byDue[..<12]))
        let latest = all.sorted { ($1.due ?? -1, $0.id) < ($0.due ?? -1, $1.id) }
        expect(Ticket.query().sorted(by: \.due.nilFirst.desc).limit(12), Array(latest[..<12]))
        let byTitle = all.sorted { ($1.title ?? "", $0.id) < ($0.title ?? "", $1.id) }
        expect(Ticket.query().sorted(by: \.title.nilFirst.desc).limit(9), Array(byTitle[..<9]))
    }

    @Test("They find what a scan of all finds, without the table, behind changes too")
    func finds() throws {
        let disk = try Self.makeDisk()
        var all = (0..<Self.count).map { Ticket($0) }
        Self.check(try Self.open(disk, Ticket.self).context, all)
        let store = try Self.open(disk, Ticket.self)
        try store.write { context in
            for number in stride(from: 5, to: 2_000, by: 450) {
                all[number].stage = .waiting
                all[number].urgency = .high
                all[number].due = number % 4 == 1 ? nil : 3
                all[number].title = nil
                try all[number].save(to: &context)
            }
            try Ticket.delete(id: 400, from: &context)
            try Ticket.delete(id: 905, from: &context)
        }
        all.removeAll { $0.id == 400 || $0.id == 905 }
        Self.check(store.context, all)
        #expect(throws: CollisionResolver<Ticket>.Errors.self) {
            try store.write { context in
                var other = Ticket(90_000)
                other.number = 1_234
                try other.save(to: &context)
            }
        }
        let isFilled = Self.isFilled(store.context, "Ticket")
        #expect(!isFilled)
        try store.compact()
        try store.close()
        Self.check(try Self.open(disk, Ticket.self).context, all)
    }

    @Test("A raw value that this build lacks is read as nil, and found as nil")
    func unknownValue() throws {
        let disk = SimulatedDisk()
        let newer = try Self.open(disk, NewerBuild.Task.self)
        try newer.write { context in
            for number in 0..<200 {
                let stage = NewerBuild.Stage(rawValue: number % 50)
                try NewerBuild.Task(id: number, stage: stage).save(to: &context)
            }
        }
        try newer.compact()
        #expect(NewerBuild.Task.filter(\.stage == nil).count(in: newer.context) == 188)
        #expect(NewerBuild.Task.filter(\.stage == .third).count(in: newer.context) == 4)
        try newer.close()
        for _ in 0..<2 {
            let store = try Self.open(disk, OlderBuild.Task.self)
            #expect(OlderBuild.Task.filter(\.stage == .second).count(in: store.context) == 4)
            #expect(OlderBuild.Task.filter(\.stage == nil).count(in: store.context) == 192)
            // All rows are read at the opening then, because one would be written in another form.
            let isFilled = Self.isFilled(store.context, "Task")
            #expect(isFilled)
            let tasks = OlderBuild.Task.filter(\.stage == nil).resolve(in: store.context)
            #expect(tasks.map(\.id).filter { $0 % 50 == 3 } == [3, 53, 103, 153])
            try store.compact()
            try store.close()
        }
    }

    @Test("Values that an app's struct takes for equal are found and refused, whatever their bytes")
    func ownEquality() throws {
        let disk = SimulatedDisk()
        let made = try Self.open(disk, Guest.self)
        try made.write { try Guest(id: 1, mail: Mail(rawValue: "Ann@example.org")).save(to: &$0) }
        try made.compact()
        try made.close()
        let store = try Self.open(disk, Guest.self)
        let mail = Mail(rawValue: "ann@EXAMPLE.org")
        #expect(throws: CollisionResolver<Guest>.Errors.self) {
            try store.write { try Guest(id: 2, mail: mail).save(to: &$0) }
        }
        #expect(Guest.filter(\.mail == mail).resolve(in: store.context).map(\.id) == [1])
    }
}
