import VarveInspection

/// What a pane needs of the store. A request says all of it: the reply fits whatever happened in between.
enum BrowseRequest: Hashable, Sendable {
    /// The transactions of one page of the log.
    case log(page: LogPage)
    case transaction(TransactionID, events: Range<Int>)
    case types(at: TransactionID)
    case entities(EntityCollection, page: Int)
    case entity(EntityName, at: TransactionID)
    /// The nearest transaction that matches, from that one on.
    case findTransaction(SearchText, from: TransactionID, SearchDirection)
    /// The nearest entity that matches, from that position on.
    case findEntity(SearchText, EntityCollection, from: Int, SearchDirection)

    /// What is being done, for a person who waits for it.
    var activity: String {
        switch self {
        case .log: "reading the log"
        case .transaction(let id, _): "reading transaction \(id)"
        case .types(let id), .entity(_, let id): "reading the state as of \(id)"
        case .entities(let entities, _): "reading the state as of \(entities.moment)"
        case .findTransaction(let text, _, _), .findEntity(let text, _, _, _):
            "searching '\(text.text)'"
        }
    }

    var isSearch: Bool {
        switch self {
        case .findTransaction, .findEntity: true
        default: false
        }
    }
}

/// A part of the log: ids from a multiple of its length on, so that transactions that are added move none.
struct LogPage: Hashable, Sendable {
    static let length: UInt64 = 16

    let number: UInt64

    init(of id: TransactionID) { number = id.rawValue / Self.length }

    var first: TransactionID { TransactionID(number * Self.length) }
    var last: TransactionID { TransactionID(number * Self.length + Self.length - 1) }
}

/// The entities of a type, or its tombstones, behind a transaction.
struct EntityCollection: Hashable, Sendable {
    static let pageLength = 64

    var type: String
    var selection: EntityList.Selection
    var moment: TransactionID
}

/// What the store holds of a request.
enum BrowseReply: Sendable {
    /// Newest first; where some are missing, the reason.
    case log([TransactionSummary], problem: String?)
    case transaction(InspectedTransaction)
    case types([TypeUsage])
    case entities(EntityPage)
    case entity(EntityDetails)
    /// The id, or the position; nil where nothing matches.
    case found(UInt64?)
    case failed(String)
}

struct TypeUsage: Sendable {
    let type: InspectedType
    let live: Int
    let deleted: Int
    /// Of the live rows and ids, before compression.
    let bytes: ByteCount
}

struct EntityPage: Sendable {
    /// Of an entity what a row of a table shows.
    struct Row: Sendable {
        let name: EntityName
        /// The beginnings of its values, in the order of the fields.
        let cells: [String]
    }

    let type: InspectedType
    /// Of all pages.
    let count: Int
    let rows: [Row]
}

struct EntityDetails: Sendable {
    let type: InspectedType
    /// Nil where neither the entity nor a tombstone is kept.
    let entity: InspectedEntity?
    /// Nil where it cannot be read, or where there is none.
    let history: InspectedHistory?
    let blame: InspectedBlame?
    /// Why something of it is missing.
    let problem: String?
}

/// What happened to the store meanwhile.
enum BrowseNews: Sendable {
    case extent(LogExtent)
    case rewound(to: TransactionID, LogExtent)
    /// The store is damaged: what is sound is shown from now on.
    case damaged(SalvageReport, LogExtent)
    /// How far something is that takes long.
    case progress(String)
    /// The store cannot be followed any more.
    case notFollowing(String)
}

/// The transactions that can be asked for.
struct LogExtent: Hashable, Sendable {
    var first: TransactionID
    /// The one before ``first`` where there are none.
    var last: TransactionID

    var count: Int { last < first ? 0 : Int(last.rawValue - first.rawValue + 1) }

    func contains(_ id: TransactionID) -> Bool { id >= first && id <= last }
}
