import Testing
import VarveTestSupport

@testable import VarveGraph

/// A graph with every kind of relation, for random shapes.
@EntityModel
struct Node: Equatable {
    let id: Int
    var weight: Int

    @Relationship(inverse: \.back) var out: [Node]?
    @Relationship(inverse: \.out) var back: [Node]?
    @Relationship(inverse: \.head) var parts: [Node]?
    @Relationship(inverse: \.parts) var head: Node?
    @Relationship var seen: [Node]? = nil
    @Relationship var last: Node? = nil
}

/// What a shape asks for, as data.
private indirect enum Wish {
    case out(Part), back(Part), parts(Part), head(Part), seen(Part), last(Part)

    struct Part {
        var isIDs: Bool
        var isFragment: Bool
        var isSlice: Bool
        var least: Int?
        var isSorted: Bool
        var limit: Int?
        var wishes: [Wish]
    }
}

/// A resolved value as data: relation by relation what it holds.
private struct Found: Equatable, CustomStringConvertible {
    var id: Int
    var relations: [String: Content] = [:]

    struct Content: Equatable {
        var ids: [Int]
        var isFragment: Bool
        var isSlice: Bool
        var nodes: [Found]?
    }

    var description: String { "\(id)\(relations)" }
}

@Suite("Shapes of random graphs")
struct ShapePropertyTests {
    @Test("Equal what following each link by itself gives", arguments: 1...40)
    func randomShapes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let context = try randomGraph(&random)
        for round in 0..<8 {
            let wishes = randomWishes(&random, depth: 3)
            let list = wishes.reduce(Node.query()) { $0.asking($1) }
            let found = list.resolve(in: context).map(Found.init)
            let naive = Node.query().resolve(in: context).map { follow($0.id, wishes, context) }
            try #require(found == naive, "seed \(seed), round \(round)")
            let id = Int.random(in: 0..<30, using: &random)
            let one = wishes.reduce(Node.query(id)) { $0.asking($1) }
            let exists = Node.query(id).exists(in: context)
            try #require(
                one.resolve(in: context).map(Found.init)
                    == (exists ? follow(id, wishes, context) : nil), "seed \(seed)")
        }
    }

    @Test("Depth lists equal the same levels written out", arguments: 1...20)
    func depthLists(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let context = try randomGraph(&random)
        let kinds: [Nested] = [.entities, .fragments, .ids]
        let levels = (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in
            kinds.randomElement(using: &random)
        }
        let found = Node.queryAll(with: .ids).with(levels).resolve(in: context).map(Found.init)
        let wishes = levels.isEmpty ? writtenOut([.ids]) : writtenOut(levels)
        let naive = Node.query().resolve(in: context).map { follow($0.id, wishes, context) }
        try #require(found == naive, "seed \(seed), levels \(levels)")
    }

    private func writtenOut(_ levels: [Nested]) -> [Wish] {
        guard let level = levels.first else { return [] }
        let part = Wish.Part(
            isIDs: level == .ids, isFragment: level == .fragments, isSlice: false, least: nil,
            isSorted: false, limit: nil,
            wishes: level == .ids ? [] : writtenOut(Array(levels.dropFirst())))
        return [.out(part), .back(part), .parts(part), .head(part), .seen(part), .last(part)]
    }

    private func randomGraph(_ random: inout SeededGenerator) throws -> Context {
        var context = Context()
        for _ in 0..<60 {
            let id = Int.random(in: 0..<30, using: &random)
            if Int.random(in: 0..<8, using: &random) == 0 {
                try Node.delete(id: id, from: &context)
                continue
            }
            var node = Node(id: id, weight: Int.random(in: 0..<10, using: &random))
            let others = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                Int.random(in: 0..<30, using: &random)
            }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: node.$out = .ids(others)
            case 1: node.$back = .appending(ids: others)
            case 2: node.$parts = .appending(ids: others)
            case 3: if let other = others.first { node.$head = .id(other) }
            case 4: node.$seen = .ids(others)
            default: if let other = others.first { node.$last = .id(other) }
            }
            try node.save(to: &context)
        }
        context.checkInvariants()
        return context
    }

    private func randomWishes(_ random: inout SeededGenerator, depth: Int) -> [Wish] {
        guard depth > 0 else { return [] }
        return (0..<Int.random(in: 0...2, using: &random)).map { _ in
            let isIDs = Int.random(in: 0..<4, using: &random) == 0
            let part = Wish.Part(
                isIDs: isIDs, isFragment: !isIDs && Bool.random(using: &random),
                isSlice: Bool.random(using: &random),
                least: Bool.random(using: &random) ? Int.random(in: 0..<10, using: &random) : nil,
                isSorted: Bool.random(using: &random),
                limit: Bool.random(using: &random) ? Int.random(in: 0..<4, using: &random) : nil,
                wishes: isIDs ? [] : randomWishes(&random, depth: depth - 1))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: return .out(part)
            case 1: return .back(part)
            case 2: return .parts(part)
            case 3: return .head(part)
            case 4: return .seen(part)
            default: return .last(part)
            }
        }
    }

    // MARK: - The naive resolution

    private func follow(_ id: Int, _ wishes: [Wish], _ context: Context) -> Found {
        var found = Found(id: id)
        for wish in wishes {
            // The last wish for a relation counts, also where it finds nothing.
            switch wish {
            case .out(let part): found.relations["out"] = content(id, 0, part, context)
            case .back(let part): found.relations["back"] = content(id, 1, part, context)
            case .parts(let part): found.relations["parts"] = content(id, 2, part, context)
            case .head(let part): found.relations["head"] = content(id, 3, part, context)
            case .seen(let part): found.relations["seen"] = content(id, 4, part, context)
            case .last(let part): found.relations["last"] = content(id, 5, part, context)
            }
        }
        return found
    }

    private func content(
        _ id: Int, _ relation: Int, _ part: Wish.Part, _ context: Context
    ) -> Found.Content? {
        let isToMany = relation != 3 && relation != 5
        let linked = linkedIDs(id, relation, context)
        let isPlain = part.least == nil && !(isToMany && (part.isSorted || part.limit != nil))
        var ids = linked
        if part.isIDs && isPlain {
            ids.removeAll { Deleted<Node>.query($0).exists(in: context) }
        } else {
            ids.removeAll { !Node.query($0).exists(in: context) }
        }
        let weight = { (id: Int) in Node.query(id).resolve(in: context)?.weight ?? 0 }
        if let least = part.least { ids.removeAll { weight($0) < least } }
        if isToMany {
            if part.isSorted {
                ids = ids.enumerated().sorted {
                    (weight($0.element), $0.offset) < (weight($1.element), $1.offset)
                }.map(\.element)
            }
            if let limit = part.limit { ids = Array(ids.prefix(limit)) }
        }
        guard isToMany || !ids.isEmpty else { return nil }
        let hides = isToMany && (part.least != nil || part.limit != nil || ids.count < linked.count)
        return Found.Content(
            ids: ids, isFragment: part.isFragment, isSlice: part.isSlice || hides,
            nodes: part.isIDs ? nil : ids.map { follow($0, part.wishes, context) })
    }

    private func linkedIDs(_ id: Int, _ relation: Int, _ context: Context) -> [Int] {
        guard let position = context.tables.position(of: Node._descriptor),
            let table = context.table(of: Node.self), let slot = table.slot(of: id)
        else { return [] }
        return context.links(of: slot.rawValue, relation: relation, table: position).slots.map {
            table.id(of: Slot($0))
        }
    }
}

extension ShapedQuery where Entity == Node {
    fileprivate func asking(_ wish: Wish) -> Self {
        switch wish {
        case .out(let part): asking(\.$out, part)
        case .back(let part): asking(\.$back, part)
        case .parts(let part): asking(\.$parts, part)
        case .head(let part): askingOne(\.$head, part)
        case .seen(let part): asking(\.$seen, part)
        case .last(let part): askingOne(\.$last, part)
        }
    }

    private func asking<Direction, Rule>(
        _ path: KeyPath<Node, ToManyRelation<Node, Direction, Rule>>, _ part: Wish.Part
    ) -> Self {
        let nested = { (list: QueryList<Node>) in
            var list = part.wishes.reduce(list) { $0.asking($1) }
            if let least = part.least { list = list.filter(\.weight >= least) }
            if part.isSorted { list = list.sorted(by: \.weight) }
            if let limit = part.limit { list = list.limit(limit) }
            return list
        }
        switch (part.isIDs, part.isFragment, part.isSlice) {
        case (true, _, false): return id(path, nested: nested)
        case (true, _, true): return id(slice: path, nested: nested)
        case (false, false, false): return with(path, nested: nested)
        case (false, false, true): return with(slice: path, nested: nested)
        case (false, true, false): return fragment(path, nested: nested)
        case (false, true, true): return fragment(slice: path, nested: nested)
        }
    }

    private func askingOne<Direction, Rule>(
        _ path: KeyPath<Node, ToOneRelation<Node, Direction, Rule>>, _ part: Wish.Part
    ) -> Self {
        let nested = { (query: Query<Node>) in
            let query = part.wishes.reduce(query) { $0.asking($1) }
            return part.least.map { query.filter(\.weight >= $0) } ?? query
        }
        switch (part.isIDs, part.isFragment, part.isSlice) {
        case (true, _, false): return id(path, nested: nested)
        case (true, _, true): return id(slice: path, nested: nested)
        case (false, false, false): return with(path, nested: nested)
        case (false, false, true): return with(slice: path, nested: nested)
        case (false, true, false): return fragment(path, nested: nested)
        case (false, true, true): return fragment(slice: path, nested: nested)
        }
    }
}

extension Found {
    fileprivate init(_ node: Node) {
        id = node.id
        note("out", node.$out)
        note("back", node.$back)
        note("parts", node.$parts)
        note("head", node.$head)
        note("seen", node.$seen)
        note("last", node.$last)
    }

    private mutating func note<Direction, Cardinality, Rule>(
        _ name: String, _ relation: Relation<Node, Direction, Cardinality, Rule>
    ) {
        guard !relation.isNone else { return }
        relations[name] = Content(
            ids: relation.heldIDs, isFragment: relation.isFragment, isSlice: relation.isSlice,
            nodes: relation.isId ? nil : relation.entities.map(Found.init))
    }
}
