import Foundation
import Testing
import VarveGraph
import VarveTestSupport

/// A step of a chain that is given as one value.
@EntityModel
private struct Step: Codable, Equatable {
    let id: Int
    var name = ""
    @Relationship(inverse: \.previous) var next: Step?
    @Relationship(inverse: \.next) var previous: Step?

    /// A chain of steps from 0 on, each of which holds the next one.
    static func chain(_ count: Int, last: String = "") -> Step {
        var step = Step(id: count - 1, name: last)
        for id in (0..<count - 1).reversed() { step = Step(id: id, next: .relation(step)) }
        return step
    }
}

/// Two types that hold one another.
@EntityModel
private struct Box: Equatable {
    let id: Int
    @Relationship(deleteRule: .cascade, inverse: \.box) var labels: [Label]?
    @Relationship(inverse: \.inner) var label: Label?
}

@EntityModel
private struct Label: Equatable {
    let id: Int
    @Relationship(inverse: \.labels) var box: Box?
    @Relationship(deleteRule: .cascade, inverse: \.label) var inner: Box?
}

@Suite("Values that hold one another, 200,000 deep, on a thread of 512 KiB")
struct NestedValueTests {
    static let depth = 200_000

    @Test("A chain is saved, merged, and released")
    func saving() throws {
        try onSmallStack {
            var context = Context()
            try Step.chain(Self.depth).save(to: &context)
            #expect(context.count(Step.self) == Self.depth)
            #expect(
                Step.query(0).reachable(along: \.$next).count(in: context) == Self.depth - 1)
            try Step.chain(Self.depth, last: "last").save(to: &context, options: .fragment)
            let last: Step? = context.find(Self.depth - 1)
            #expect(last?.name == "last")
            try [Step.chain(Self.depth)].save(to: &context)
            try Step(id: -1, next: .relation(Step.chain(Self.depth))).save(\.$next, to: &context)
            #expect(Step.query(0).id(\.$previous).resolve(in: context)?.$previous.id == -1)
        }
    }

    @Test("A save that fails at the end leaves nothing, and the next one starts anew")
    func failing() throws {
        try onSmallStack {
            var context = Context()
            var value = Picky(id: Self.depth, isRefused: true)
            for id in (0..<Self.depth).reversed() {
                value = Picky(id: id, isRefused: false, next: .relation(value))
            }
            #expect(throws: Picky.Refusal.self) { try value.save(to: &context) }
            #expect(context.count(Picky.self) == 0)
            try Picky(id: 1, isRefused: false, next: .relation(Picky(id: 2, isRefused: false)))
                .save(to: &context)
            #expect(context.count(Picky.self) == 2)
        }
    }

    @Test("Lists and single ones of two types in turn")
    func twoTypes() throws {
        try onSmallStack {
            var context = Context()
            var box = Box(id: 0)
            for id in 1...Self.depth / 2 {
                let label = Label(id: id, inner: .relation(box))
                box = Box(id: id, labels: .relation([Label(id: -id), label]))
            }
            try box.save(to: &context)
            #expect(context.count(Box.self) == Self.depth / 2 + 1)
            #expect(context.count(Label.self) == Self.depth)
            try box.delete(from: &context)
            #expect(context.count(Box.self) == 0)
            #expect(context.count(Label.self) == 0)
        }
    }

    @Test("What an outdated value holds is saved")
    func outdated() throws {
        try onSmallStack {
            var context = Context()
            try Step(id: 0, name: "b").save(to: &context)
            try Step.chain(Self.depth).save(
                to: &context, options: .lastWriteWins(comparedBy: \.name))
            #expect(context.count(Step.self) == Self.depth)
            #expect(!Step.query(0).related(\.$next).exists(in: context))
            #expect(Step.query(1).related(\.$next).exists(in: context))
        }
    }

    @Test("Chains are compared, normalized, and asked when they were saved")
    func reading() throws {
        try onSmallStack {
            let chain = Step.chain(Self.depth)
            #expect(chain.isIdentical(to: Step.chain(Self.depth)))
            #expect(!chain.isIdentical(to: Step.chain(Self.depth, last: "other")))
            #expect(!chain.isIdentical(to: Step.chain(Self.depth - 1)))
            #expect(chain.$next.isIdentical(to: Step.chain(Self.depth).$next))
            #expect(chain == Step.chain(Self.depth))
            #expect(chain.normalized().$next.isNone)
            var context = Context()
            try Step(id: Self.depth - 1).save(to: &context)
            let time = Step(id: Self.depth - 1).updatedAt(in: context)
            #expect(time != nil)
            #expect(chain.updatedAt(in: context, withNested: true) == time)
            #expect(chain.updatedAt(in: context, withNested: \.$next) == time)
            #expect(chain.updatedAt(\.$next, in: context) == time)
            #expect(chain.updatedAt(in: context) == nil)
        }
    }

    @Test("What many relations share is compared, and asked when it was saved, once")
    func shared() throws {
        // Each level doubles the ways to the first box.
        var (first, second) = (Box(id: 0), Box(id: 0))
        for id in 1...64 {
            let inner = (
                Label(id: id, inner: .relation(first)), Label(id: id, inner: .relation(second))
            )
            first = Box(id: id, labels: .relation([inner.0, inner.0]))
            second = Box(id: id, labels: .relation([inner.1, inner.1]))
        }
        #expect(first.isIdentical(to: second))
        var context = Context()
        try Box(id: 0).save(to: &context)
        #expect(
            first.updatedAt(in: context, withNested: true) == Box(id: 0).updatedAt(in: context))
    }

    @Test("JSON that is too deep is an error of its coder, and no end of the program")
    func json() throws {
        try onSmallStack {
            for strategy in RelationEncodingStrategy.allCases {
                let encoder = JSONEncoder()
                encoder.relationEncodingStrategy = strategy
                #expect(throws: EncodingError.self) {
                    try encoder.encode(Step.chain(Self.depth))
                }
            }
            for count in [300, 500, 10_000, Self.depth] {
                let text =
                    String(repeating: #"{"id":1,"name":"","previous":null,"next":"#, count: count)
                    + "null" + String(repeating: "}", count: count)
                #expect(throws: DecodingError.self, "\(count)") {
                    try JSONDecoder().decode(Step.self, from: Data(text.utf8))
                }
            }
        }
        let few = Step.chain(12)
        let data = try JSONEncoder().encode(few)
        let read = try onSmallStack { try JSONDecoder().decode(Step.self, from: data) }
        #expect(read.isIdentical(to: few))
    }
}

/// An entity that may refuse to be saved.
@EntityModel
private struct Picky {
    struct Refusal: Error {}

    let id: Int
    let isRefused: Bool
    @Relationship var next: Picky? = nil

    func didSave(to context: inout Context) throws {
        if isRefused { throw Refusal() }
    }
}
