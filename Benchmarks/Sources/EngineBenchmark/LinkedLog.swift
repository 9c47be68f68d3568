import BenchmarkSupport
import VarveEvents

/// A log of users and as many posts, whose authors are any users so far: 500 of each a transaction, with both sides
/// of each link.
struct LinkedLog {
    private static let batch = 500

    static let posts = TypeDefinition(
        number: TypeNumber(2), name: "Post", idType: .string,
        fields: [("title", StoredType.string), ("body", .string), ("likes", .int64)].enumerated()
            .map { index, field in
                FieldDefinition(
                    number: FieldNumber(UInt32(index + 1)), name: field.0, type: field.1,
                    rung: .storable)
            },
        relations: [
            RelationDefinition(
                number: RelationNumber(4), name: "author", target: TypeNumber(1), isToMany: false,
                inverse: RelationNumber(7))
        ])

    private static let writers = {
        var definition = BenchmarkUser.layout.definition
        definition.relations = [
            RelationDefinition(
                number: RelationNumber(7), name: "posts", target: TypeNumber(2), isToMany: true,
                inverse: RelationNumber(4))
        ]
        return definition
    }()

    let users: [BenchmarkUser]
    let transactions: [[UInt8]]

    init(_ users: [BenchmarkUser]) {
        self.users = users
        var random = SplitMix(state: 11)
        var postCounts = [Int](repeating: 0, count: users.count)
        transactions = stride(from: 0, to: users.count, by: Self.batch).map { start in
            let range = start..<min(start + Self.batch, users.count)
            return Self.transaction(users, range, &postCounts, &random)
        }
    }

    private static func transaction(
        _ users: [BenchmarkUser], _ range: Range<Int>, _ postCounts: inout [Int],
        _ random: inout SplitMix
    ) -> [UInt8] {
        let id = TransactionID(UInt64(range.lowerBound / batch + 1))
        let time = Timestamp(microseconds: Int64(id.rawValue))
        var encoder = TransactionEncoder()
        encoder.begin(id: id, time: time)
        if range.lowerBound == 0 {
            do throws(CodecError) {
                try encoder.define(writers)
                try encoder.define(posts)
            } catch {
                preconditionFailure("\(error)")
            }
        }
        var row = ByteWriter()
        for index in range {
            row.removeAll()
            users[index].encode(into: &row)
            let user = entity(writers, users[index].id, &encoder)
            row.withBytes {
                encoder.insert(user, ordinal: ordinal(index), previous: nil, row: $0)
            }
        }
        for index in range {
            row.removeAll()
            row.writeText("Title \(index)")
            row.writeText(SampleData.body(using: &random))
            row.writeSigned(Int64(index % 50))
            let post = entity(posts, SampleData.id("p", index), &encoder)
            row.withBytes {
                encoder.insert(post, ordinal: ordinal(index), previous: nil, row: $0)
            }
            let author = Int(random.next() % UInt64(range.upperBound))
            let user = entity(writers, users[author].id, &encoder)
            encoder.link(
                post, relation: RelationNumber(4), oldCount: 0, removals: [],
                insertions: [ListChange(position: 0, entity: user)])
            encoder.link(
                user, relation: RelationNumber(7), oldCount: postCounts[author], removals: [],
                insertions: [ListChange(position: postCounts[author], entity: post)])
            postCounts[author] += 1
        }
        var bytes = ByteWriter()
        encoder.finish(TransactionHeader(id: id, time: time), into: &bytes)
        return bytes.copyBytes()
    }

    private static func entity(
        _ type: TypeDefinition, _ id: String, _ encoder: inout TransactionEncoder
    ) -> EntityIndex {
        var key = ByteWriter()
        key.writeText(id)
        return key.withBytes { encoder.entity(type.number, $0) }
    }

    private static func ordinal(_ index: Int) -> Ordinal { Ordinal(UInt64(index + 1)) }
}
