import Foundation
import Testing
import VarveTestSupport

@testable import VarveGraph

@Suite("Pages of changing queries")
struct PagingPropertyTests {
    /// What a page must start behind: the sort value and the place in insertion order.
    private struct Place {
        var weight: Int
        var ordinal: UInt64
    }

    private enum Order: CaseIterable {
        case inserted, light, heavy

        var query: QueryList<Node> {
            switch self {
            case .inserted: Node.query()
            case .light: Node.query().sorted(by: \.weight)
            case .heavy: Node.query().sorted(by: \.weight.desc)
            }
        }

        func isBehind(_ place: Place, _ other: Place) -> Bool {
            let sameWeight = place.ordinal > other.ordinal
            guard place.weight != other.weight else { return sameWeight }
            switch self {
            case .inserted: return sameWeight
            case .light: return place.weight > other.weight
            case .heavy: return place.weight < other.weight
            }
        }
    }

    @Test(
        "Each page is what stands behind the cursor now, whatever came and went", arguments: 1...30)
    func pagesBehindCursors(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for order in Order.allCases {
            var context = Context()
            // Ids that are referred to first leave insertion order other than slot order.
            if Bool.random(using: &random) {
                try Node(id: 999, weight: 0).save(to: &context)
                var node = Node(id: 998, weight: 5)
                node.$seen = .ids((0..<40).shuffled(using: &random))
                try node.save(to: &context)
            }
            for _ in 0..<40 { try change(&context, &random) }
            var query = order.query
            if Bool.random(using: &random) { query = query.filter(\.weight > 2) }
            try follow(query, order, &context, &random, "seed \(seed), \(order)")
        }
    }

    private func follow(
        _ query: QueryList<Node>, _ order: Order, _ context: inout Context,
        _ random: inout SeededGenerator, _ words: String
    ) throws {
        var cursor: QueryCursor?
        var last: Place?
        for round in 0..<30 {
            let limit = Int.random(in: 1...6, using: &random)
            let page = try query.page(after: cursor, limit: limit, in: context)
            let behind = query.resolve(in: context).filter { node in
                guard let last, let place = place(of: node, context) else { return last == nil }
                return order.isBehind(place, last)
            }
            try #require(
                page.entities.map(\.id) == behind.prefix(limit).map(\.id), "\(words) \(round)")
            try #require(page.hasMore == (behind.count > limit), "\(words) \(round)")
            if let node = page.entities.last { last = place(of: node, context) }
            guard page.hasMore else { return }
            cursor = try JSONDecoder().decode(
                QueryCursor.self, from: JSONEncoder().encode(page.next))
            for _ in 0..<Int.random(in: 0..<6, using: &random) { try change(&context, &random) }
        }
    }

    private func change(_ context: inout Context, _ random: inout SeededGenerator) throws {
        let id = Int.random(in: 0..<60, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: try Node.delete(id: id, from: &context)
        case 3: try Deleted<Node>.query(id).resolve(in: context)?.restore(in: &context)
        default:
            try Node(id: id, weight: Int.random(in: 0..<10, using: &random)).save(to: &context)
        }
    }

    private func place(of node: Node, _ context: Context) -> Place? {
        guard let table = context.table(of: Node.self), let slot = table.slot(of: node.id) else {
            return nil
        }
        return Place(weight: node.weight, ordinal: table.metadata(of: slot).ordinal)
    }
}
