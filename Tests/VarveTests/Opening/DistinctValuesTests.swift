import Foundation
import Synchronization
import Testing
import VarveLog
import VarveTestSupport

@testable import Varve
@testable import VarveGraph

@EntityModel
private struct Badge: Equatable {
    @Unique<Self>(\.code, collisions: .throw) private var byCode
    @Unique<Self>(\.label, collisions: .keepingBoth) private var byLabel

    let id: Int
    var code: String?
    var label: String
    var note = ""
}

extension CollisionResolver where Entity == Badge {
    fileprivate static var keepingBoth: Self {
        CollisionResolver { _, _, _, _ in }
    }
}

/// A row that keeps its unique value is saved without a look-up where all stored values are distinct.
@Suite("Distinct stored values")
struct DistinctValuesTests {
    /// More than one step reads of an index.
    private static let count = 5_000
    private static let code = 0
    private static let label = 1

    private static func badge(_ number: Int, note: String = "") -> Badge {
        // Two have one label.
        Badge(
            id: number, code: number == 7 ? nil : "code \(number)",
            label: "label \(number == 9 ? 8 : number)", note: note)
    }

    private static func open(_ disk: SimulatedDisk) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1),
            configuration: LogConfiguration(), mode: .readWrite, durability: .none,
            retention: .everything, compactsAutomatically: false, memory: .megabytes(0),
            types: [Badge.self], waitingSlotsMin: 1)
    }

    /// A store whose table reads from a checkpoint.
    private static func stored() throws -> Store {
        let disk = SimulatedDisk()
        let store = try Self.open(disk)
        try store.write { context in
            for number in 0..<count { try badge(number).save(to: &context) }
        }
        try store.compact()
        try store.close()
        return try Self.open(disk)
    }

    private static func source(_ store: Store) throws -> StoredTable {
        let table = store.context.tables.tables.unfilled.first { !$0.isFilled && $0.isScanned }
        return try #require(table?.source as? StoredTable)
    }

    private static func seek(_ index: Int, in source: StoredTable) {
        var last: [UInt8] = []
        while source.seekDistinctValues(ofIndex: index, behind: &last) {}
    }

    @Test("It is looked for once it was asked often, and known for each index")
    func known() throws {
        let store = try Self.stored()
        let source = try Self.source(store)
        #expect(!source.hasDistinctValues(ofIndex: Self.code))
        while source.distinctValues.withLock({ $0[Self.code] }) != .known(true) {
            _ = source.hasDistinctValues(ofIndex: Self.code)
            sched_yield()
        }
        #expect(source.hasDistinctValues(ofIndex: Self.code))
        Self.seek(Self.label, in: source)
        #expect(!source.hasDistinctValues(ofIndex: Self.label))
    }

    @Test("A value that another row has is refused as before", arguments: [false, true])
    func collisions(isKnown: Bool) throws {
        let store = try Self.stored()
        let source = try Self.source(store)
        if isKnown {
            Self.seek(Self.code, in: source)
            Self.seek(Self.label, in: source)
        }
        // Kept values are accepted, also in a row that was saved before.
        for round in 1...2 {
            try store.write { context in
                for number in 0..<20 {
                    try Self.badge(number, note: "\(round)").save(to: &context)
                }
            }
        }
        #expect(try Self.source(store) === source)
        var other = Self.badge(3)
        other.code = "code 4"
        #expect(throws: (any Error).self) { try store.write { try other.save(to: &$0) } }
        // A new row takes what another one gave up; the old one cannot have it again.
        var freed = Self.badge(5)
        freed.code = "free"
        try store.write { context in
            try freed.save(to: &context)
            try Badge(id: 9_000, code: "code 5", label: "new").save(to: &context)
        }
        #expect(throws: (any Error).self) { try store.write { try Self.badge(5).save(to: &$0) } }
        try store.write { try Self.badge(6, note: "kept").save(to: &$0) }
        // So does one of a deleted row.
        try store.write { context in
            try Badge.delete(id: 11, from: &context)
            try Badge(id: 9_001, code: "code 11", label: "newer").save(to: &context)
        }
        #expect(throws: (any Error).self) { try store.write { try Self.badge(11).save(to: &$0) } }
        let codes = Badge.query().resolve(in: store.context).compactMap(\.code)
        #expect(Set(codes).count == codes.count)
    }

    private static func isUndisputed(
        _ row: Badge, in index: Int, _ store: Store
    ) throws -> Bool {
        let source = try Self.source(store)
        let table = try #require(
            store.context.tables.tables.unfilled.first { $0.source === source })
        return withUnsafePointer(to: row) { table.isUndisputed($0, at: Slot(row.id), in: index) }
    }

    @Test("Only a kept value that no other row has, or got since, is not looked for")
    func undisputed() throws {
        let store = try Self.stored()
        let source = try Self.source(store)
        #expect(try !Self.isUndisputed(Self.badge(5), in: Self.code, store))
        Self.seek(Self.code, in: source)
        Self.seek(Self.label, in: source)
        #expect(try Self.isUndisputed(Self.badge(5, note: "new"), in: Self.code, store))
        var changed = Self.badge(5)
        changed.code = "other"
        #expect(try !Self.isUndisputed(changed, in: Self.code, store))
        // Two rows have this label.
        #expect(try !Self.isUndisputed(Self.badge(9), in: Self.label, store))
        try store.write { try changed.save(to: &$0) }
        #expect(try !Self.isUndisputed(Self.badge(5), in: Self.code, store))
        #expect(try Self.isUndisputed(Self.badge(6), in: Self.code, store))
        var last = Self.badge(6)
        last.code = "code 5"
        try store.write { try last.save(to: &$0) }
        // It has a value that was put since.
        #expect(try !Self.isUndisputed(last, in: Self.code, store))
    }
}
