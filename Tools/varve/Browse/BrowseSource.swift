import VarveInspection

/// What `varve browse` reads of a store: requests come in, replies come out. Every failure is a reply too.
///
/// Holds the states of at most two moments, the newest that was asked for and an earlier one, and opens the
/// store again when it has grown. Belongs to one thread.
final class BrowseSource {
    /// A state, and the transaction that it is behind.
    private struct State {
        let inspection: Inspection
        var moment: TransactionID
    }

    private static let cellCharactersMax = 200

    private let path: String
    /// Knows the whole log that was there when it was opened.
    private(set) var log: Inspection
    private var newest: State?
    private var past: State?
    private var list: (collection: EntityCollection, entities: EntityList)?
    private var follower: TransactionFollower?
    private var damage: SalvageReport?
    /// Whether a salvage was tried and shows no more: then a part is shown, with the reason.
    private var isPastSalvage = false
    private var mayFollow = true
    private var news: [BrowseNews] = []

    /// Whether the search that is going on is still wanted.
    var isWanted: () -> Bool = { true }
    /// Takes what is to be known at once.
    var report: (BrowseNews) -> Void = { _ in }

    init(_ path: String) throws(InspectionError) {
        self.path = path
        do throws(InspectionError) {
            log = try Inspection(at: path)
        } catch  where error.isDamage {
            let salvaged = try SalvagedInspection(at: path)
            log = try salvaged.makeInspection()
            damage = salvaged.report
            news.append(.damaged(salvaged.report, extent))
        }
    }

    var extent: LogExtent { LogExtent(first: log.firstTransaction, last: log.lastTransaction) }

    // MARK: Following

    /// What was found and not delivered yet.
    func takeNews() -> [BrowseNews] {
        defer { news = [] }
        return news
    }

    /// What is new since the last call. The first one takes as long as reading a segment.
    func poll() -> [BrowseNews] {
        guard damage == nil, mayFollow else { return takeNews() }
        do throws(InspectionError) {
            try follow()
        } catch {
            // What was seen stays to be looked at.
            mayFollow = false
            follower = nil
            news.append(.notFollowing("\(error)"))
        }
        return takeNews()
    }

    private func follow() throws(InspectionError) {
        var events: [TransactionFollower.Event] = []
        if let follower {
            while case let more = try follower.next(), !more.isEmpty { events += more }
            guard !events.isEmpty else { return }
        } else {
            follower = try TransactionFollower(at: path, newest: 0)
        }
        let former = extent
        log = try log.reopened()
        var rewound: TransactionID?
        for case .rewound(let id) in events { rewound = min(rewound ?? id, id) }
        if let rewound {
            forgetStates(after: rewound)
            news.append(.rewound(to: rewound, extent))
        } else if extent != former {
            news.append(.extent(extent))
        }
    }

    private func forgetStates(after id: TransactionID) {
        list = nil
        if let state = newest, state.moment > id { newest = nil }
        if let state = past, state.moment > id { past = nil }
    }

    // MARK: Requests

    func perform(_ request: BrowseRequest) -> BrowseReply {
        do throws(InspectionError) {
            return try reply(to: request)
        } catch {
            return retry(request, after: error)
        }
    }

    /// A compaction beside this program takes files away: another look shows what there is. In a damaged store
    /// what is sound is looked at from then on.
    private func retry(_ request: BrowseRequest, after error: InspectionError) -> BrowseReply {
        guard damage == nil, !isPastSalvage, error.isDamage || error.isOfFiles else {
            return .failed("\(error)")
        }
        do throws(InspectionError) {
            log = try log.reopened()
            forgetStates(after: TransactionID(0))
            return try reply(to: request)
        } catch {
            guard error.isDamage else { return .failed("\(error)") }
            salvage()
        }
        do throws(InspectionError) {
            return try reply(to: request)
        } catch {
            return .failed("\(error)")
        }
    }

    private func salvage() {
        report(.progress("the store is damaged, gathering what is sound"))
        isPastSalvage = true
        do throws(InspectionError) {
            let salvaged = try SalvagedInspection(at: path)
            guard !salvaged.report.isComplete else { return }
            log = try salvaged.makeInspection()
            damage = salvaged.report
            follower = nil
            forgetStates(after: TransactionID(0))
            report(.damaged(salvaged.report, extent))
        } catch {
            // As beside a writer: what is sound of each page is shown, with what is wrong.
            report(.notFollowing("\(error)"))
        }
    }

    private func reply(to request: BrowseRequest) throws(InspectionError) -> BrowseReply {
        switch request {
        case .log(let page): try read(page)
        case .transaction(let id, let events):
            .transaction(try log.transaction(id, events: events))
        case .types(let moment): .types(try types(at: moment))
        case .entities(let collection, let page): .entities(try read(page, of: collection))
        case .entity(let name, let moment): .entity(try details(of: name, at: moment))
        case .findTransaction(let text, let start, let direction):
            .found(try find(text, from: start, direction))
        case .findEntity(let text, let collection, let start, let direction):
            .found(try find(text, in: collection, from: start, direction))
        }
    }

    // MARK: The log

    private func read(_ page: LogPage) throws(InspectionError) -> BrowseReply {
        let filter = TransactionFilter(
            after: page.first > 0 ? .transaction(TransactionID(page.first.rawValue - 1)) : nil,
            before: .transaction(TransactionID(page.last.rawValue + 1)))
        var walk = log.transactions(.newestFirst, filter: filter)
        var transactions: [TransactionSummary] = []
        do throws(InspectionError) {
            while let transaction = try walk.next() { transactions.append(transaction) }
        } catch {
            // The first failure leads to another look, or to a salvage; what is left after that is shown.
            guard isPastSalvage || damage != nil else { throw error }
            return .log(transactions, problem: "\(error)")
        }
        return .log(transactions, problem: nil)
    }

    // MARK: States

    /// The state behind a transaction. Reads the newest one, and goes back from it where that is needed.
    private func state(at moment: TransactionID) throws(InspectionError) -> Inspection {
        if let newest, newest.moment == moment { return newest.inspection }
        if let past, past.moment == moment { return past.inspection }
        if moment == log.lastTransaction {
            // The former one is released first: there are never three.
            forgetList(of: newest)
            newest = nil
            let inspection = try log.reopened()
            // The store may have grown since: what is asked for is this moment.
            try inspection.goBack(to: moment)
            newest = State(inspection: inspection, moment: moment)
            return inspection
        }
        forgetList(of: past)
        if let earlier = past, earlier.moment > moment {
            past = nil
            try earlier.inspection.goBack(to: moment)
            past = State(inspection: earlier.inspection, moment: moment)
            return earlier.inspection
        }
        past = nil
        let inspection = try log.reopened()
        try inspection.goBack(to: moment)
        past = State(inspection: inspection, moment: moment)
        return inspection
    }

    private func forgetList(of state: State?) {
        if let list, list.collection.moment == state?.moment { self.list = nil }
    }

    private func types(at moment: TransactionID) throws(InspectionError) -> [TypeUsage] {
        let inspection = try state(at: moment)
        return try inspection.summary().types.map { count throws(InspectionError) in
            TypeUsage(
                type: count.type, live: count.live, deleted: count.deleted,
                bytes: try inspection.liveBytes(of: count.type.name))
        }
    }

    private func details(
        of name: EntityName, at moment: TransactionID
    ) throws(InspectionError) -> EntityDetails {
        let inspection = try state(at: moment)
        let entity = try inspection.entity(name)
        var history: InspectedHistory?
        var problem: String?
        do throws(InspectionError) {
            history = try inspection.history(of: name)
        } catch {
            // Nothing is known of an entity that was only linked to.
            if !isPastSalvage, damage == nil, error.isDamage { throw error }
            problem = "\(error)"
        }
        return EntityDetails(
            type: try inspection.type(named: name.type), entity: entity, history: history,
            blame: history.map { InspectedBlame($0) }, problem: problem)
    }

    func entities(of collection: EntityCollection) throws(InspectionError) -> EntityList {
        if let list, list.collection == collection { return list.entities }
        let inspection = try state(at: collection.moment)
        let entities = try inspection.entities(of: collection.type, collection.selection)
        list = (collection, entities)
        return entities
    }

    private func read(
        _ page: Int, of collection: EntityCollection
    ) throws(InspectionError) -> EntityPage {
        let entities = try entities(of: collection)
        let first = min(page * EntityCollection.pageLength, entities.count)
        let end = min(first + EntityCollection.pageLength, entities.count)
        let rows = try (first..<end).map { position throws(InspectionError) in
            try row(position, of: entities)
        }
        return EntityPage(type: entities.type, count: entities.count, rows: rows)
    }

    private func row(
        _ position: Int, of entities: EntityList
    ) throws(InspectionError) -> EntityPage.Row {
        let entity = try entities.entity(at: position)
        return EntityPage.Row(
            name: EntityName(type: entity.type, id: entity.id),
            cells: entity.fields.map {
                String(ValueText.cell(of: $0.value).prefix(Self.cellCharactersMax))
            })
    }
}

extension InspectionError {
    /// Files were not there, or shorter than before: perhaps only taken away by a writer.
    fileprivate var isOfFiles: Bool {
        switch self {
        case .log(.fileSystem), .log(.belowFloor), .log(.missing): true
        default: false
        }
    }
}
