import Testing
import Varve
import VarveLog
import VarveTestSupport

enum CodedModel {
    struct Code: RawRepresentable, Hashable, Sendable {
        let rawValue: Int

        init(rawValue: Int) { self.rawValue = rawValue }
    }

    @EntityModel("Coded")
    struct Coded {
        let id: CodedModel.Code
        var text: String
    }
}

enum LesserCodedModel {
    struct Code: RawRepresentable, Hashable, Sendable {
        static let limit = 30_000
        let rawValue: Int

        init?(rawValue: Int) {
            guard rawValue < Self.limit else { return nil }
            self.rawValue = rawValue
        }
    }

    @EntityModel("Coded")
    struct Coded {
        let id: LesserCodedModel.Code
        var text: String
    }
}

enum GateModel {
    enum Kind: String { case open, locked }

    @EntityModel("Gate")
    struct Gate {
        let id: Int
        var kind: GateModel.Kind
    }
}

@Storable
enum LaterGateKind { case open }

enum LaterGateModel {
    @EntityModel("Gate")
    struct Gate {
        let id: Int
        var kind: LaterGateKind
    }
}

@Suite("Values that a later app cannot read")
struct UnreadableValueTests {
    private func open(
        _ disk: SimulatedDisk, _ mode: Store.Mode, _ type: any EntityModelProtocol.Type
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: UInt64(disk.operations.count + 1)),
            mode: mode, durability: .commit, retention: .everything, compactsAutomatically: false,
            types: [type])
    }

    @Test("A former value that cannot be one of today's type is named as it was written")
    func formerValue() throws {
        let disk = SimulatedDisk()
        let store = try open(disk, .readWrite, GateModel.Gate.self)
        for kind in [GateModel.Kind.locked, .open] {
            try store.write { try GateModel.Gate(id: 1, kind: kind).save(to: &$0) }
        }
        try store.close()
        let later = try open(disk, .readWrite, LaterGateModel.Gate.self)
        #expect {
            try later.undo()
        } throws: { error in
            guard case StoreError.unreadable(let value) = error else { return false }
            return value.property == "kind" && value.value == "\"locked\"" && value.id == "1"
        }
        #expect(LaterGateModel.Gate.query(1).resolve(in: later.context)?.kind == .open)
    }

    @Test("An id that cannot be read is named, whichever rows of its type were released before")
    func unreadableID() throws {
        let disk = SimulatedDisk()
        let last = LesserCodedModel.Code.limit
        do {
            let store = try open(disk, .readWrite, CodedModel.Coded.self)
            try store.write { context in
                for number in 0...last {
                    try CodedModel.Coded(id: .init(rawValue: number), text: "text \(number)")
                        .save(to: &context)
                }
            }
            try store.compact(retaining: .newestState)
            try store.close()
        }
        for mode in [Store.Mode.readWrite, .readOnly] {
            #expect {
                _ = try open(SimulatedDisk(disk.image), mode, LesserCodedModel.Coded.self)
            } throws: { error in
                guard case StoreError.unreadable(let value) = error else { return false }
                return value.type == "Coded" && value.id == "\(last)" && value.property == nil
                    && value.reason.isUnknownRawValue
            }
        }
    }
}
