import VarveFuzzing
import VarveTables
import VarveTestSupport

@testable import VarveInspection

/// The same entities in several states, which lie in memory and in images in several ways. They have fields of all kinds that
/// bytes tell, with values at their limits, rows of two definitions, and tombstones.
struct BatchStates {
    let all: [(name: String, state: State)]

    private static let type = TypeNumber(1)
    private static let countOfEach = 150
    private static let doubles = [
        0, -0.0, 0.1, 0.2, 0.3, 1e300, -1e300, 1e-300, .leastNonzeroMagnitude,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 9_007_199_254_740_994,
    ]

    private static let first: [FieldDefinition] = [
        ("gone", .string), ("i8", .int8), ("i16", .int16), ("i32", .int32), ("i64", .int64),
        ("u8", .uint8), ("u16", .uint16), ("u32", .uint32), ("u64", .uint64),
        ("price", .double), ("edge", .double), ("share", .optional(.double)), ("rate", .float),
        ("made", .date), ("kind", .raw("Kind", .int64)), ("label", .raw("Label", .string)),
        ("rest", .optional(.raw("Rest", .int32))), ("last", .int64),
        ("twice", .optional(.optional(.int64))), ("behind", .int16),
    ].enumerated().map { (position: Int, field: (String, StoredType)) in
        FieldDefinition(
            number: FieldNumber(UInt32(position + 1)), name: field.0, type: field.1,
            rung: .storable)
    }

    /// Without the first field and with two others, of which one comes first.
    private static func second() throws -> [FieldDefinition] {
        let added = FieldDefinition(
            number: FieldNumber(101), name: "added", type: .int64, rung: .storable,
            fill: try Int64(7).stored())
        let late = FieldDefinition(
            number: FieldNumber(102), name: "late", type: .optional(.double), rung: .storable,
            fill: try Double?(-0.0).stored())
        return [added] + first.dropFirst() + [late]
    }

    init(seed: UInt64) throws {
        let standard = try Self.written(State(), seed)
        let loaded = try Self.opened(standard)
        try loaded.reading { () throws(CodecError) in
            guard var reader = loaded.reader(of: Self.type) else { return }
            try reader.forEach { _ in }
        }
        all = [
            ("in memory", standard), ("in blocks", try Self.opened(standard)),
            (
                "in blocks of a leaf",
                try Self.opened(try Self.written(State(blockBytes: 1), seed))
            ),
            ("in blocks that are in memory", loaded),
        ]
    }

    // MARK: Writing

    private static func written(_ empty: State, _ seed: UInt64) throws -> State {
        var (state, values) = (empty, RandomValues(seed: seed))
        var count = 0
        for fields in [first, try second()] {
            let definition = TypeDefinition(
                number: type, name: "Item", idType: .int64, fields: fields, relations: [])
            try apply(to: &state) { try $0.define(definition) }
            let ids = count..<count + countOfEach
            count = ids.upperBound
            let rows = ids.map { _ in fields.flatMap { bytes(of: $0, &values) } }
            try apply(to: &state) { encoder in
                for (id, row) in zip(ids, rows) {
                    encoder.insert(try encoder.item(id), UInt64(id + 1), row)
                }
            }
            let version = SampleStore.version(state.lastTransaction.rawValue)
            try apply(to: &state) { encoder in
                for (id, row) in zip(ids, rows) where id % 7 == 3 {
                    encoder.delete(
                        try encoder.item(id), keepsTombstone: true,
                        ordinal: Ordinal(UInt64(id + 1)), previous: version, cause: .direct,
                        row: row, lists: [])
                }
            }
        }
        return state
    }

    private static func bytes(of field: FieldDefinition, _ values: inout RandomValues) -> [UInt8] {
        let value: StoredContent? =
            switch field.name {
            case "price": .double(values.element(doubles))
            case "share", "late":
                .optional(values.chance(40) ? nil : .double(values.element(doubles)))
            case "last": .signed(Int64(values.number(-3..<4)))
            // Some have a page of their own.
            case "label" where values.chance(5):
                .string(String(repeating: "long ", count: 300))
            default: nil
            }
        guard let value else { return values.bytes(of: field.type) }
        var writer = ByteWriter()
        do {
            try value.store(as: field.type, into: &writer)
        } catch {
            preconditionFailure("a value of the type can be stored: \(error)")
        }
        return writer.copyBytes()
    }

    private static func apply(
        to state: inout State, _ events: (inout TransactionEncoder) throws -> Void
    ) throws {
        let id = TransactionID(state.lastTransaction.rawValue + 1)
        let header = TransactionHeader(id: id, time: SampleStore.time(id.rawValue))
        var encoder = TransactionEncoder()
        encoder.begin(id: id, time: header.time)
        try events(&encoder)
        var writer = ByteWriter()
        encoder.finish(header, into: &writer)
        let payload = writer.copyBytes()
        state = try state.changed { transaction in
            try payload.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
        }
    }

    // MARK: Images

    private static func opened(_ state: State) throws -> State {
        var image = ImageBytes()
        _ = try ImagePlan(state).write(to: &image)
        return try State.open(ImageInMemory(image.bytes)).state
    }
}

extension TransactionEncoder {
    fileprivate mutating func item(_ id: Int) throws -> EntityIndex {
        try Int64(id).stored().withUnsafeBytes { entity(TypeNumber(1), $0) }
    }
}

extension State {
    /// What a query finds, each row as its cells' JSON.
    ///
    /// - Parameter leavesMin: how many leaves of rows a part has at least.
    func answer(_ text: String, leavesMin: Int) throws -> [[String]] {
        try reading {
            var binder = QueryBinder(catalog)
            let query = try binder.bind(InspectionQuery(text).syntax)
            return try QueryRun(query, self, leavesMin: leavesMin).answer().rows
                .map { $0.map(\.json) }
        }
    }
}
