internal import VarveEvents
internal import VarveLog
internal import VarveText

/// Finds the transactions that added or removed a text, newest first.
///
/// A value counts with each text in it: texts, numbers and dates as they are shown, members of structures and
/// elements of lists one by one; data does not. A change that moves a text within a value is none.
///
/// Of a long text the log holds only the part that changed. The whole of it comes from what newer transactions
/// say, or from the state at the end, which is replayed when that is needed. Of the texts that newer transactions have
/// replaced 64 MiB are held in memory, and the others in a temporary file. Belongs to one thread.
public final class TextSearch {
    /// How many transactions one step reads at most.
    private static let stepCount = 256

    private let matcher: TextMatcher
    private let scope: TextSearchScope
    private let filter: TransactionFilter
    var longTexts = LongTexts()
    /// The oldest transaction that was looked at; nil before the first.
    public private(set) var last: TransactionID?
    private var found: [TextSearchResult] = []

    /// A search that has not begun.
    ///
    /// - Throws: ``TextPatternError`` as the pattern's own initializer does.
    public init(
        _ pattern: TextPattern, in scope: TextSearchScope = TextSearchScope(),
        filter: TransactionFilter = TransactionFilter()
    ) throws(TextPatternError) {
        matcher = try pattern.makeMatcher()
        self.scope = scope
        self.filter = filter
    }

    /// The next transaction with a change, nil when all are behind. Another inspection of the same history may follow
    /// where one ended with an error.
    ///
    /// - Parameter step: is called now and then, with the number of transactions that are behind.
    public func next(
        in inspection: Inspection, step: (UInt64) -> Void = { _ in }
    ) throws(InspectionError) -> TextSearchResult? {
        while found.isEmpty {
            guard let start = start(in: inspection) else { return nil }
            try read(from: start, in: inspection)
            step(inspection.lastTransaction.rawValue - (last?.rawValue ?? 0) + 1)
        }
        return found.removeFirst()
    }

    private func start(in inspection: Inspection) -> TransactionID? {
        let newest = last.map { TransactionID($0.rawValue - 1) } ?? inspection.lastTransaction
        guard newest >= inspection.firstTransaction, newest.rawValue > 0 else { return nil }
        // Times are not in order, so a bound in time ends nothing.
        if case .transaction(let bound) = filter.after, newest <= bound { return nil }
        return newest
    }

    private func read(
        from newest: TransactionID, in inspection: Inspection
    ) throws(InspectionError) {
        var count = 0
        let segments = inspection.snapshot.segments
        guard
            let position = segments.lastIndex(where: {
                $0.transactions > 0 && $0.header.firstSequence.rawValue <= newest.rawValue
            })
        else {
            last = inspection.firstTransaction
            return
        }
        let catalog = try inspection.catalog(ofSegmentAt: position)
        let first = segments[position].header.firstSequence
        do throws(ReplayFailure<InspectionError>) {
            try inspection.reader.forEachNewestFirst(from: LogSequence(newest.rawValue)) {
                logged throws(InspectionError) in
                try look(at: logged, catalog, in: inspection)
                count += 1
                return logged.sequence > first && count < Self.stepCount && found.isEmpty
            }
        } catch {
            throw error.inspectionError
        }
        // Behind a compaction a segment may hold nothing that is still kept.
        if count == 0 { last = inspection.firstTransaction }
    }

    private func look(
        at logged: LoggedTransaction, _ catalog: Catalog, in inspection: Inspection
    ) throws(InspectionError) {
        let view = try TransactionView(of: logged)
        let events = try InspectedTransaction.events(
            of: view, logged.location, catalog: catalog, includesLinks: false)
        // Where the replay meets damage, another inspection looks at the transaction again: nothing of it is noted yet.
        if needsNewestTexts(events) { _ = try inspection.replay() }
        // Newest first: what an event says of a value counts for the events before it.
        var changes: [TextChange] = []
        for event in events.reversed() {
            changes += try self.changes(by: event, in: inspection).reversed()
        }
        last = view.id
        changes.reverse()
        if scope.includesLabels, let label = view.header.label,
            let change = change(.label, [], [label])
        {
            changes.insert(change, at: 0)
        }
        guard !changes.isEmpty else { return }
        let summary = try TransactionSummary(logged, view, catalog: catalog)
        if filter.admits(summary) { found.append(.init(transaction: summary, changes: changes)) }
    }

    /// Whether it changes a part of a text of which newer transactions say nothing.
    private func needsNewestTexts(_ events: [InspectedEvent]) -> Bool {
        events.contains { event in
            guard case .update(let update) = event else { return false }
            return update.changes.contains { change in
                guard case .splice = change.content, covers(change.name, of: update.entity.type)
                else { return false }
                return !longTexts.knows(update.entity, change.name)
            }
        }
    }

    // MARK: Events

    private func changes(
        by event: InspectedEvent, in inspection: Inspection
    ) throws(InspectionError) -> [TextChange] {
        switch event {
        case .insert(let insertion):
            longTexts.forget(insertion.entity)
            return changes(of: insertion.entity, insertion.fields, isDeleted: false)
        case .delete(let deletion):
            for field in deletion.fields where covers(field.name, of: deletion.entity.type) {
                try longTexts.note(field.value, of: deletion.entity, field.name)
            }
            return changes(of: deletion.entity, deletion.fields, isDeleted: true)
        case .update(let update):
            var changes: [TextChange] = []
            for change in update.changes where covers(change.name, of: update.entity.type) {
                if let change = try self.change(by: change, of: update.entity, in: inspection) {
                    changes.append(change)
                }
            }
            return changes
        case .define, .link, .purge, .unknown: return []
        }
    }

    private func changes(
        of entity: EntityName, _ fields: [InspectedField], isDeleted: Bool
    ) -> [TextChange] {
        guard covers(entity.type) else { return [] }
        func change(_ place: TextChange.Place, _ texts: [String]) -> TextChange? {
            isDeleted ? self.change(place, texts, []) : self.change(place, [], texts)
        }
        let id = scope.includesIDs ? change(.id(entity), entity.id.stored.content.texts) : nil
        return [id].compactMap { $0 }
            + fields.filter { covers($0.name, of: entity.type) }.compactMap { field in
                change(.field(entity, field.name), field.value.stored.content.texts)
            }
    }

    private func change(
        by change: InspectedEvent.FieldChange, of entity: EntityName, in inspection: Inspection
    ) throws(InspectionError) -> TextChange? {
        let place = TextChange.Place.field(entity, change.name)
        switch change.content {
        case .values(let old, let new):
            try longTexts.note(old, of: entity, change.name)
            return self.change(place, old.stored.content.texts, new.stored.content.texts)
        case .splice(let splice):
            let (old, new) = try longTexts.sides(of: splice, entity, change.name) {
                () throws(InspectionError) in
                try inspection.newestField(change.name, of: entity)
            }
            return self.change(place, [old], [new])
        }
    }

    private func covers(_ type: String) -> Bool { scope.type == nil || scope.type == type }

    private func covers(_ field: String, of type: String) -> Bool {
        covers(type) && (scope.field == nil || scope.field == field)
    }

    // MARK: Counting

    private func change(
        _ place: TextChange.Place, _ before: [String], _ after: [String]
    ) -> TextChange? {
        func count(_ texts: [String]) -> Int { texts.reduce(0) { $0 + matcher.count(in: $1) } }
        let (countBefore, countAfter) = (count(before), count(after))
        guard countBefore != countAfter else { return nil }
        return TextChange(
            place: place, countBefore: countBefore, countAfter: countAfter,
            before: side(before), after: side(after))
    }

    /// Of several texts the first with the pattern.
    private func side(_ texts: [String]) -> TextChange.Side {
        for text in texts {
            let matches = matcher.ranges(in: text)
            if !matches.isEmpty { return .init(text: text, matches: matches) }
        }
        return .init(text: texts.first ?? "", matches: [])
    }
}

extension StoredContent {
    /// Every text in a value, as it is shown: what a search looks at.
    fileprivate var texts: [String] {
        switch self {
        case .string(let text), .url(let text), .decimal(let text): [text]
        case .json(let bytes): [String(decoding: bytes, as: UTF8.self)]
        case .data, .optional(nil): []
        case .optional(let value?): value.texts
        case .array(let values), .set(let values): values.flatMap(\.texts)
        case .dictionary(let entries): entries.flatMap { $0.key.texts + $0.value.texts }
        case .structure(let members): members.flatMap(\.value.texts)
        case .enumeration(_, let name, let payload): [name] + payload.flatMap(\.value.texts)
        case .date, .uuid: [json.withoutQuotationMarks]
        case .bool, .signed, .unsigned, .float, .double: [json]
        }
    }
}
