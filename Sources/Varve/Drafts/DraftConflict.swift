public import Foundation
internal import VarveEvents
internal import VarveText

/// Something that a draft and others have both changed since the draft's base.
public struct DraftConflict: Sendable, Hashable {
    /// What was changed on both sides.
    public enum Kind: Sendable, Hashable {
        /// The property has different new values.
        case property(String)
        /// The relation to one leads to different entities.
        case relation(String)
        /// The list of the relation was put into different orders.
        case order(relation: String)
        /// The draft deletes the entity, and others changed it or linked to it.
        case deletedInDraft
        /// The draft changes the entity, and others deleted it.
        case deletedByOthers
        /// Both sides inserted an entity with this id, with different values.
        case insertedTwice
        /// The draft links the entity to another one, which others deleted; its id.
        case targetDeleted(relation: String, target: String)
        /// Another entity has the draft's value of a unique index by now; its id.
        case uniqueValueTaken(index: String, by: String)
    }

    /// What one side has.
    public struct Side: Sendable, Hashable {
        /// The value of a property as JSON; nil for all other kinds.
        public let json: String?
        /// The ids that a relation leads to, in order, as people read them.
        public let ids: [String]
        /// The properties and relations that this side changed, where the entity as a whole is in conflict.
        public let changed: [String]
        /// The value as it is stored.
        let encoded: [UInt8]?

        init(
            json: String? = nil, encoded: [UInt8]? = nil, ids: [String] = [],
            changed: [String] = []
        ) {
            self.json = json
            self.encoded = encoded
            self.ids = ids
            self.changed = changed
        }

        /// The value of a property, decoded; nil where this side has no value.
        public func value<Value: Storable>(as type: Value.Type) throws -> Value? {
            try encoded.map { try Value.load(storedBytes: $0) }
        }
    }

    /// The name of the entity's type, as the log has it.
    public let type: String
    /// The entity's id, as people read it.
    public let id: String
    /// What was changed on both sides.
    public let kind: Kind
    /// What the draft began with.
    public let base: Side
    /// What the draft has.
    public let mine: Side
    /// What the others have.
    public let theirs: Side

    /// Whether no choice resolves the conflict: the draft must be edited first, as with a unique value.
    public var isFinal: Bool {
        if case .uniqueValueTaken = kind { true } else { false }
    }

    init(
        type: String, id: String, kind: Kind, base: Side = Side(), mine: Side = Side(),
        theirs: Side = Side()
    ) {
        self.type = type
        self.id = id
        self.kind = kind
        self.base = base
        self.mine = mine
        self.theirs = theirs
    }
}

/// Which side of a conflict a draft keeps.
public enum DraftChoice: Sendable, Hashable {
    /// What the draft has replaces what the others have.
    case keepMine
    /// The draft drops its change.
    case takeTheirs
}

extension DraftConflict: CustomStringConvertible {
    /// One sentence about the conflict, for people.
    public var description: String { message.escapedForDisplay }

    private var message: String {
        switch kind {
        case .property(let name):
            "\(type) \(id): '\(name)' was \(base.json ?? "absent") and is \(mine.json ?? "absent") in the draft, "
                + "\(theirs.json ?? "absent") by others"
        case .relation(let name):
            "\(type) \(id): '\(name)' led to \(base.list) and leads to \(mine.list) in the draft, "
                + "to \(theirs.list) by others"
        case .order(let relation):
            "\(type) \(id): '\(relation)' was reordered to \(mine.list) in the draft, to \(theirs.list) by others"
        case .deletedInDraft:
            "\(type) \(id) is deleted in the draft; others changed \(theirs.changed.joined(separator: ", "))"
        case .deletedByOthers:
            "\(type) \(id) was deleted by others; the draft changes \(mine.changed.joined(separator: ", "))"
        case .insertedTwice:
            "\(type) \(id) was inserted by the draft and by others, with other \(mine.changed.joined(separator: ", "))"
        case .targetDeleted(let relation, let target):
            "\(type) \(id): \(target), which '\(relation)' leads to in the draft, was deleted by others"
        case .uniqueValueTaken(let index, let other):
            "\(type) \(id): \(other) has its value of the unique index '\(index)'"
        }
    }
}

extension DraftConflict.Side {
    fileprivate var list: String { ids.isEmpty ? "nothing" : ids.joined(separator: ", ") }
}

/// Why a draft refuses. Nothing was changed.
public enum DraftError: Error, Sendable, Hashable {
    /// The draft and others changed the same things: all of them.
    case conflicts([DraftConflict])
    /// A draft was edited, rebased, reverted or committed inside the body of one of its own edits.
    case nestedEdit
}

extension DraftError: CustomStringConvertible {
    /// What happened and, behind the last semicolon, what to do next.
    public var description: String { message.text }

    private var message: ErrorMessage {
        switch self {
        case .conflicts(let conflicts):
            ErrorMessage(
                "nothing was done, because others changed the same: "
                    + conflicts.map(\.description).joined(separator: ", "),
                conflicts.contains(where: \.isFinal)
                    ? "give the draft another value, or delete the other entity, then rebase"
                    : "rebase the draft with a choice for each conflict, and commit again")
        case .nestedEdit:
            ErrorMessage(
                "the draft was used inside the body of one of its own edits",
                "use the context that the body was given")
        }
    }
}

extension DraftError: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}
