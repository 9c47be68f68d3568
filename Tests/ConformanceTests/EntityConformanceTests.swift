import Testing
import VarveGraph

// This file imports no Foundation: generated code must not need it.

private enum Depot {
    @EntityModel
    struct Crate {
        let id: Int
        var label: String
        @Relationship(inverse: \.crates) var shelf: Shelf?

        mutating func willSave(to context: inout Context) throws {
            if label == "refused" { throw Refusal(reason: "willSave") }
            label += "+"
        }
        func didSave(to context: inout Context) throws {
            if label == "late+" { throw Refusal(reason: "didSave") }
            try Note(id: "saved \(id)").save(to: &context)
        }
        func willDelete(from context: inout Context) throws {
            if label.hasPrefix("kept") { throw Refusal(reason: "willDelete") }
            if label.hasPrefix("again") { try save(to: &context) }
            try Note(id: "deleting \(id), there: \(query().exists(in: context))").save(to: &context)
        }
        func didDelete(from context: inout Context) throws {
            if label.hasPrefix("fails") { throw Refusal(reason: "didDelete") }
            try Note(id: "deleted \(id), there: \(query().exists(in: context))").save(to: &context)
        }
    }

    @EntityModel
    struct Shelf {
        let id: String
        @Relationship(deleteRule: .cascade, inverse: \.shelf) var crates: [Crate]?

        func didSave(to context: inout Context) throws {
            let count = query().related(\.$crates).resolve(in: context).count
            try Note(id: "shelf with \(count)").save(to: &context)
        }
    }

    @EntityModel
    struct Note {
        let id: String
    }

    struct Refusal: Error, Equatable {
        let reason: String
    }

    /// Takes its id when it is saved.
    @EntityModel
    struct Ticket {
        var id: String
        @Relationship(inverse: \.tickets) var holder: Holder?

        mutating func willSave(to context: inout Context) throws {
            if id.isEmpty { id = "T\(context.count(Ticket.self) + 1)" }
        }
    }

    @EntityModel
    struct Holder {
        let id: String
        @Relationship(inverse: \.holder) var tickets: [Ticket]?
    }
}

private typealias Crate = Depot.Crate
private typealias Shelf = Depot.Shelf
private typealias Note = Depot.Note

/// The manual's generic entity.
@EntityModel
private struct GenericAttachment<T: Codable & Sendable & Hashable>: Sendable {
    let id: String
    var kind: T
    @Relationship var note: Depot.Note? = .none
}

private extension Depot {
    enum V2 {}
}

private extension Depot.V2 {
    @EntityModel
    struct Parcel: Sendable {
        let id: String
        var previous: Optional<String> = nil
        @Relationship(inverse: \Depot.V2.Cart.parcels) var cart: Depot.V2.Cart?
    }

    @EntityModel
    struct Cart: Sendable {
        let id: String
        @Relationship(inverse: \.cart) var parcels: [Parcel]?
    }
}

private typealias Parcel = Depot.V2.Parcel

@Suite("Entities and their hooks")
struct EntityConformanceTests {
    @Test("SM-01: the macro makes a plain struct an entity")
    func conformance() throws {
        func isEntity<E: EntityModelProtocol>(_ type: E.Type) -> Bool { true }
        #expect(isEntity(Note.self))
        var crate = Crate(id: 1, label: "a", shelf: .id("s"))
        crate.normalize()
        #expect(crate.$shelf.isNone)
        #expect(Crate.patch.merge(crate, new: crate).label == "a")
    }

    @Test("SM-02: ids are strings, integers, or whatever is hashable and can be stored")
    func ids() throws {
        var context = Context()
        try Crate(id: 7, label: "a").save(to: &context)
        #expect(Crate.query(7).resolve(in: context)?.label == "a+")
        #expect(Crate.query(8).resolve(in: context) == nil)
    }

    @Test("SM-03: willSave changes what is stored, not the caller's value")
    func willSave() throws {
        var context = Context()
        let crate = Crate(id: 1, label: "a")
        try crate.save(to: &context)
        #expect(crate.label == "a")
        #expect(Crate.query(1).resolve(in: context)?.label == "a+")
        #expect(context.ids(Note.self) == ["saved 1"])
    }

    @Test("children and links are there when the parent's didSave runs")
    func didSave() throws {
        var context = Context()
        try Shelf(id: "s", crates: .relation([Crate(id: 1, label: "a"), Crate(id: 2, label: "b")]))
            .save(to: &context)
        #expect(context.ids(Note.self) == ["saved 1", "saved 2", "shelf with 2"])
    }

    @Test("willDelete sees the row, didDelete does not")
    func deleteHooks() throws {
        var context = Context()
        try Crate(id: 1, label: "a").save(to: &context)
        try Crate.delete(id: 1, from: &context)
        #expect(
            context.ids(Note.self) == [
                "saved 1", "deleting 1, there: true", "deleted 1, there: false",
            ])
    }

    @Test("a hook that throws takes everything back, of a whole graph and of a whole cascade")
    func throwingHooks() throws {
        var context = Context()
        try Shelf(
            id: "s",
            crates: .relation(
                ["a", "kept", "b", "fails"].enumerated().map {
                    Crate(id: $0.offset, label: $0.element)
                })
        ).save(to: &context)
        let before = context
        func isUnchanged(_ context: Context) -> Bool {
            context.ids(Crate.self) == before.ids(Crate.self)
                && context.ids(Note.self) == before.ids(Note.self)
                && context.ids(Shelf.self) == ["s"] && context.count(Deleted<Crate>.self) == 0
                && Shelf.query("s").related(\.$crates).resolve(in: context).map(\.label)
                    == Shelf.query("s").related(\.$crates).resolve(in: before).map(\.label)
        }
        let failures: [(String, (inout Context) throws -> Void)] = [
            ("willSave", { try Crate(id: 9, label: "refused").save(to: &$0) }),
            ("didSave", { try Crate(id: 9, label: "late").save(to: &$0) }),
            (
                "willSave",
                {
                    try Shelf(
                        id: "t",
                        crates: .relation([
                            Crate(id: 0, label: "x"), Crate(id: 9, label: "refused"),
                        ])
                    ).save(to: &$0)
                }
            ),
            ("willDelete", { try Shelf.delete(id: "s", from: &$0) }),
            ("willDelete", { try Shelf(id: "s").delete(\.$crates, from: &$0) }),
            ("didDelete", { try Crate.delete(id: 3, from: &$0) }),
            (
                "willSave",
                {
                    try [Crate(id: 8, label: "x"), Crate(id: 9, label: "refused")].save(to: &$0)
                }
            ),
        ]
        for (reason, change) in failures {
            #expect(throws: Depot.Refusal(reason: reason)) { try change(&context) }
            #expect(isUnchanged(context), "\(reason)")
            context.checkInvariants()
        }
    }

    @Test("an entity that its own willDelete saves is deleted all the same")
    func savedWhileDeleted() throws {
        var context = Context()
        try Crate(id: 1, label: "again").save(to: &context)
        try Crate.delete(id: 1, from: &context)
        #expect(!Crate.query(1).exists(in: context))
        #expect(Deleted<Crate>.query(1).exists(in: context))
        context.checkInvariants()
    }

    @Test("a child whose willSave gives it its id is linked under that id")
    func changedIDs() throws {
        var context = Context()
        try Depot.Holder(
            id: "h", tickets: .relation([Depot.Ticket(id: ""), Depot.Ticket(id: "")])
        ).save(to: &context)
        try Depot.Holder(id: "h", tickets: .appending(relation: [Depot.Ticket(id: "")])).save(
            to: &context)
        #expect(
            Depot.Holder.query("h").related(\.$tickets).resolve(in: context).map(\.id)
                == ["T1", "T2", "T3"])
        #expect(context.danglingLinks() == [])
        context.checkInvariants()
    }

    @Test("SM-04: every specialisation of a generic entity is a type of its own")
    func generic() throws {
        var context = Context()
        try GenericAttachment(id: "1", kind: "text", note: .relation(Note(id: "n")))
            .save(to: &context)
        try GenericAttachment(id: "1", kind: 7).save(to: &context)
        #expect(GenericAttachment<String>.query("1").resolve(in: context)?.kind == "text")
        #expect(GenericAttachment<Int>.query("1").resolve(in: context)?.kind == 7)
        #expect(
            GenericAttachment<String>.query("1").related(\.$note).resolve(in: context)?.id == "n")
        #expect(GenericAttachment<Int>.query("1").related(\.$note).resolve(in: context) == nil)
    }

    @Test("SM-07: entities may be nested and aliased, and inverses named with their types")
    func nested() throws {
        var context = Context()
        try Parcel(id: "1", cart: .relation(Depot.V2.Cart(id: "c"))).save(to: &context)
        #expect(
            Depot.V2.Cart.query("c").related(\.$parcels).resolve(in: context).map(\.id) == ["1"])
        #expect(Parcel._descriptor.name.hasSuffix("Depot.V2.Parcel"))
    }

    @Test(
        "SM-08, SM-62: hooks, strategies, asDeleted and the metadata hooks can be declared by the entity"
    )
    func overridable() throws {
        var context = Context()
        try Override(id: "1", text: "a").save(to: &context)
        try Override(id: "1", text: nil).save(to: &context)
        #expect(Override.query("1").resolve(in: context)?.text == "a")
        #expect(context.ids(Note.self) == ["metadata of 1"])
        try Override.delete(id: "1", from: &context)
        #expect(context.ids(Note.self) == [])
        #expect(context.count(Deleted<Override>.self) == 0)
    }
}

@EntityModel
private struct Override {
    let id: String
    var text: String?

    static var defaultMergeStrategy: MergeStrategy<Self> { .patch }
    func asDeleted(in context: Context) -> Deleted<Override>? { nil }
    func saveMetadata(to context: inout Context) throws {
        try Depot.Note(id: "metadata of \(id)").save(to: &context)
    }
    func deleteMetadata(from context: inout Context) throws {
        try Depot.Note.delete(id: "metadata of \(id)", from: &context)
    }
}

extension MergeStrategy where T == Override {
    fileprivate static var patch: MergeStrategy<Override> { Override.patch }
}
