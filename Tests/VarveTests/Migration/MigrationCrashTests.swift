import Foundation
import Testing
import Varve
import VarveTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A store of former types, and the migrations that lead to those of now.
struct MigrationCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let formerTypes: [any EntityModelProtocol.Type]
    let types: [any EntityModelProtocol.Type]
    let migrations: [Migration]
    /// Writes what the former version of the app did.
    let fill: @Sendable (Store) throws -> Void
    /// What a context of the types of now shows.
    let describe: @Sendable (Context) -> [String]

    static let all = [
        MigrationCase(
            testDescription: "values and removals", formerTypes: Migrations.formerTypes,
            types: Migrations.types, migrations: Migrations.all,
            fill: { try Migrations.fill($0) }, describe: { Migrations.describe($0) }),
        MigrationCase(
            testDescription: "names and cases", formerTypes: [TaskV1.self], types: [ItemV2.self],
            migrations: [Renamings.migration],
            fill: { try Renamings.fill($0) }, describe: { Renamings.describe($0) }),
    ]
}

@Suite("Migrations and crashes", .serialized)
struct MigrationCrashTests: MigrationSuite {
    /// The disk of a store of the former types, and the transaction of its migration.
    private func formerDisk(_ tested: MigrationCase) throws -> (SimulatedDisk, TransactionID) {
        let disk = SimulatedDisk()
        let former = try open(disk, tested.formerTypes, [])
        try tested.fill(former)
        try former.close()
        return (disk, TransactionID(former.lastTransaction.rawValue + 1))
    }

    @Test(
        "A power cut at any moment leaves the store from before or the one behind the migration",
        arguments: MigrationCase.all)
    func powerCuts(tested: MigrationCase) throws {
        let (first, migration) = try formerDisk(tested)
        let disk = SimulatedDisk(first.image)
        let expected = tested.describe(try open(disk, tested.types, tested.migrations).context)
        let operations = disk.operations
        var generator = SeededGenerator(seed: 41)
        var counts = (former: 0, migrated: 0)
        for position in 0...operations.count {
            let point = disk.crashPoint(at: position)
            let fates = SimulatedDisk.survivals(at: point, of: operations, using: &generator)
            for survivals in fates.shuffled(using: &generator).prefix(6) {
                let image = disk.image(at: point, survivals)
                if let old = try? open(SimulatedDisk(image), tested.formerTypes, []) {
                    #expect(old.lastTransaction.rawValue == migration.rawValue - 1)
                    counts.former += 1
                } else {
                    counts.migrated += 1
                }
                let again = try open(SimulatedDisk(image), tested.types, tested.migrations)
                #expect(again.lastTransaction == migration, "at \(position), \(survivals)")
                #expect(expected == tested.describe(again.context))
            }
        }
        #expect(counts.former > 0 && counts.migrated > 0)
    }

    @Test(
        "An error of the disk at any step leaves a store from before or behind the migration",
        arguments: MigrationCase.all)
    func errors(tested: MigrationCase) throws {
        let (first, migration) = try formerDisk(tested)
        let migrated = SimulatedDisk(first.image)
        let expected = tested.describe(try open(migrated, tested.types, tested.migrations).context)
        var (counts, step) = ((former: 0, migrated: 0), 0)
        while true {
            let disk = SimulatedDisk(first.image)
            let faulty = FaultyFileSystem(disk)
            faulty.setFault(.init(operation: step, code: 5))
            let opened = try? Store(
                in: faulty, mode: .readWrite, durability: .commit, compactsAutomatically: false,
                migrations: tested.migrations, types: tested.types)
            let operations = faulty.operations
            let image = disk.image
            if let old = try? open(SimulatedDisk(image), tested.formerTypes, []) {
                #expect(
                    old.lastTransaction.rawValue == migration.rawValue - 1 && opened == nil,
                    "step \(step)")
                counts.former += 1
            } else {
                counts.migrated += 1
            }
            let again = try open(SimulatedDisk(image), tested.types, tested.migrations)
            #expect(again.lastTransaction == migration, "step \(step)")
            #expect(expected == tested.describe(again.context), "step \(step)")
            step += 1
            if operations < step { break }
        }
        #expect(counts.former > 5 && counts.migrated > 0, "\(counts)")
    }

    @Test("A process that is killed in a step leaves the store as it was", arguments: 1...3)
    func killed(id: Int) async throws {
        let place = StoreTests.Place()
        let former = try Store(at: place.url, types: Migrations.formerTypes)
        try Migrations.fill(former)
        try former.close()
        let path = place.url.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, id = id as Int] in
            let deadly = Migration("deadly", of: "Worker") { row in
                if try row.id(as: Int.self) == id { kill(getpid(), SIGKILL) }
            }
            _ = try Store(
                at: URL(fileURLWithPath: path), migrations: Migrations.all + [deadly],
                types: Migrations.types)
        }
        let again = try Store(at: place.url, types: Migrations.formerTypes)
        #expect(again.lastTransaction == 3 && again.context.count(WorkerV1.self) == 2)
        try again.close()
        defer { Self.removeCopies(of: place, count: 1) }
        let migrated = try Store(
            at: place.url, migrations: Migrations.all, types: Migrations.types)
        #expect(migrated.lastTransaction == 4 && migrated.context.count(WorkerV2.self) == 2)
    }

    private static func removeCopies(of place: StoreTests.Place, count: Int) {
        for name in [".before-4", ".before-4-2"].prefix(count) {
            do {
                try FileManager.default.removeItem(atPath: place.url.path + name)
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    @Test("A process that is killed between the copy and the migration does not lock the store out")
    func killedBehindCopy() async throws {
        let place = StoreTests.Place()
        let former = try Store(at: place.url, types: Migrations.formerTypes)
        try Migrations.fill(former)
        try former.close()
        let path = place.url.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let deadly = MigrationOptions { progress in
                if progress.stage == .backingUp, progress.done == 1 { kill(getpid(), SIGKILL) }
            }
            _ = try Store(
                at: URL(fileURLWithPath: path), migrations: Migrations.all, migrating: deadly,
                types: Migrations.types)
        }
        defer { Self.removeCopies(of: place, count: 2) }
        let migrated = try Store(
            at: place.url, migrations: Migrations.all, types: Migrations.types)
        #expect(migrated.lastTransaction == 4 && migrated.context.count(WorkerV2.self) == 2)
        for name in [".before-4", ".before-4-2"] {
            let copy = URL(fileURLWithPath: path + name)
            let before = try Store(at: copy, mode: .readOnly, types: Migrations.formerTypes)
            #expect(before.lastTransaction == 3 && before.context.count(WorkerV1.self) == 2)
        }
    }
}
