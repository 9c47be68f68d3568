import Foundation
import Varve

// Later versions of the types of `Former`, each with one change.

enum Later {
    @EntityModel("Part")
    struct Reordered {
        var count: Int
        var name: String
        let id: Int
    }

    @EntityModel("Part")
    struct Longer {
        let id: Int
        var nickname: String? = nil
        var weight = 7
    }

    @EntityModel("Part")
    struct WithMail {
        let id: Int
        var mail: String
    }

    @EntityModel("Part")
    struct Counted {
        let id: Int
        var count: Int
    }

    @EntityModel("Part")
    struct Persisted {
        let id: Int
        @PersistedName("name") var title: String
    }

    @EntityModel("Part")
    struct Titled {
        let id: Int
        var title: String
    }

    @EntityModel("Piece")
    struct Piece {
        let id: Int
        var name: String
    }

    @EntityModel("Part")
    struct Named {
        let id: Int
        var name: String
    }

    @EntityModel("Part")
    struct Cased {
        let id: Int
        @Relationship(inverse: \.parts) var cases: [Case]?
    }

    @EntityModel("Box")
    struct Case {
        let id: String
        @Relationship(inverse: \.cases) var parts: [Cased]?
    }

    @EntityModel("Part")
    struct Wider {
        let id: Int
        var name: String?
        var level: Int64
        var mood: String
    }

    @EntityModel("Part")
    struct Spelled {
        let id: Int
        var count: String
    }

    @EntityModel("Part")
    struct Sized {
        let id: Int
        var size: Int
    }

    @EntityModel("Part")
    struct Renumbered {
        let id: Int
        var name: [Int]? = nil
    }

    @EntityModel("Part")
    struct Split {
        let id: Int
        var letter: String
        var digits: String
    }
}

/// Later versions of values.
enum LaterValues {
    enum Mood: String, Codable, Sendable { case high }

    @Storable enum State: Equatable { case open, done(by: String) }

    @Storable enum DatedState: Equatable { case open, paused, done(by: String, day: Int) }

    @Storable struct Place: Equatable {
        var y: Int
        var x: Int
        var z: Int? = nil
        var w = 5
    }

    @Storable struct Point: Equatable {
        var x: Int
        var height: Int
    }

    struct Note: Codable, Equatable, Sendable {
        var text: String
        var size: Int
        var tags: [String]? = nil
    }

    struct ShortNote: Codable, Equatable, Sendable { var text: String }

    struct MarkedNote: Codable, Equatable, Sendable {
        var text: String
        var mark: Int
    }

    enum Temper: String, Codable, Sendable { case low, medium, high }

    /// With a case between the former ones.
    @Storable enum OpenState: Equatable {
        case open, waiting(until: Int), paused, done(by: String)
    }

    @Storable enum NamedState: Equatable {
        case open
        @PersistedName("paused") case halted
        case done(by: String)
    }

    @Storable struct NamedPlace: Equatable {
        @PersistedName("y") var height: Int
        var x: Int
    }

    @EntityModel("Part")
    struct Tempered {
        let id: Int
        var mood: Temper
        var state: OpenState
    }

    @EntityModel("Part")
    struct Renamed {
        let id: Int
        var state: NamedState
        var place: NamedPlace
    }

    @EntityModel("Part")
    struct Cheerful {
        let id: Int
        var mood: Mood
        var state: State
    }

    @EntityModel("Part")
    struct Dated {
        let id: Int
        var state: DatedState
    }

    @EntityModel("Part")
    struct Deeper {
        let id: Int
        var place: Place
    }

    @EntityModel("Part")
    struct Pointed {
        let id: Int
        var place: Point
    }

    @EntityModel("Part")
    struct Tagged {
        let id: Int
        var note: Note
    }

    @EntityModel("Part")
    struct Marked {
        let id: Int
        var note: MarkedNote
    }

    @EntityModel("Part")
    struct Short {
        let id: Int
        var note: ShortNote
    }
}

/// Later versions of relations and of types as a whole.
enum LaterRelations {
    @EntityModel("Part")
    struct ManyOwners {
        let id: Int
        @Relationship var owner: [PlainBox]? = nil
    }

    @EntityModel("Box")
    struct PlainBox {
        let id: String
        var label = "l"
    }

    @EntityModel("Part")
    struct OneBox {
        let id: Int
        @Relationship(inverse: \.parts) var boxes: SharedBox?
    }

    @EntityModel("Box")
    struct SharedBox {
        let id: String
        @Relationship(inverse: \.boxes) var parts: [OneBox]?
    }

    @EntityModel("Part")
    struct Owned {
        let id: Int
        @Relationship(inverse: \.owned) var owner: OwningBox?
    }

    @EntityModel("Box")
    struct OwningBox {
        let id: String
        @Relationship(inverse: \.owner) var owned: [Owned]?
    }

    /// A memo without its mood, for which new entities have no value.
    @EntityModel("Memo")
    struct BareMemo {
        let id: Int
    }
}

/// Later versions whose entities are others.
enum LaterEntities {
    /// A part whose ids are texts.
    @EntityModel("Part")
    struct Component {
        let id: String
        var name: String
        @Relationship(inverse: \.parts) var boxes: [ComponentBox]?
    }

    @EntityModel("Box")
    struct ComponentBox {
        let id: String
        @Relationship(inverse: \.boxes) var parts: [Component]?
    }

    @EntityModel("Part")
    struct Misled {
        let id: Int
        @Relationship var owner: Former.Memo? = nil
    }

    @EntityModel("Part")
    struct Stocked {
        let id: Int
        var name: String
        @Relationship var stock: Stock? = nil
    }

    @EntityModel("Stock")
    struct Stock {
        let id: Int
        var count: Int
    }

    @EntityModel("Part")
    struct Labelled {
        let id: Int
        var label: String = "-"
    }
}
