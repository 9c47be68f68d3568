internal import VarveEvents
internal import VarveLog
internal import VarveReplay

/// Counts the records of a log, one after the other. Its memory does not grow with the log.
struct StatisticsPass {
    typealias Amount = InspectedStatistics.Amount

    private let now: Moment
    /// Transactions below it are not part of the history any more, although their segment may still be there.
    private let floor: TransactionID
    private(set) var catalog = Catalog()
    private(set) var types: [UInt32: TypeTally] = [:]
    private(set) var total = Amount()
    private(set) var belowFloor = Amount()
    /// One by one, to be searched; by time they are counted in their patterns.
    private(set) var labels = NameTally(namesMax: 65_536)
    private(set) var labelPatterns = NameTally()
    private(set) var authors = NameTally()
    private(set) var scopes = NameTally()
    private(set) var periods = TimeTally<PeriodCell>()
    private(set) var largest = TopList<TransactionSummary>(limit: 20)
    private(set) var changes = ChangeTally()
    private(set) var ages: [AgeStatistics.Class: Amount] = [:]
    private(set) var segments: [UInt64: SegmentTally] = [:]
    private(set) var first: StoreSummary.Transaction?
    private(set) var last: StoreSummary.Transaction?
    private(set) var missing: [ClosedRange<TransactionID>] = []
    private(set) var unreadable: [Health.Damage] = []
    private(set) var unknownEvents: UInt64 = 0
    /// Of the transaction at hand, by type: bytes, and how many live entities more.
    private var shares: [UInt32: (bytes: UInt64, growth: Int64)] = [:]

    /// What lies in one segment.
    struct SegmentTally {
        var first: TransactionID
        var last: TransactionID
        var transactions: UInt64 = 0
        var types: [UInt32: Double] = [:]
    }

    /// - Parameter catalog: definitions from before the log, as a checkpoint holds them.
    init(now: Moment, floor: TransactionID, definitions catalog: Catalog?) {
        self.now = now
        self.floor = floor
        for revision in catalog?.revisions ?? [] { define(revision.definition, in: revision.since) }
    }

    mutating func take(_ record: LogRecord, in segment: SegmentID) {
        switch record {
        case .catalog(let payload):
            // An unreadable head is reported where the state is replayed.
            let definitions = (try? Catalog.decodeDefinitions(payload)) ?? []
            for definition in definitions { define(definition, in: last?.id ?? TransactionID(0)) }
        case .transaction(let logged):
            do throws(InspectionError) {
                try take(logged, in: segment)
            } catch {
                unreadable.append(Health.Damage(logged, reason: "\(error)"))
            }
        }
    }

    mutating func finish() {
        for type in types.keys { types[type]?.settle() }
    }

    private mutating func define(_ definition: TypeDefinition, in id: TransactionID) {
        let known = catalog.definition(of: definition.number)
        guard known != definition, (try? catalog.define(definition, in: id)) == true else { return }
        types[definition.number.rawValue, default: TypeTally()].define(definition)
    }

    // MARK: Transactions

    private mutating func take(
        _ logged: LoggedTransaction, in segment: SegmentID
    ) throws(InspectionError) {
        let view = try TransactionView(of: logged)
        shares.removeAll(keepingCapacity: true)
        do throws(EventError) {
            try countEvents(of: view)
        } catch {
            throw .transaction(view.id, logged.location, reason: "\(error)")
        }
        for entity in view.entities {
            share(entity.type) { $0.bytes += UInt64(entity.id.count + 1) }
        }
        let transaction = StoreSummary.Transaction(id: view.id, time: Moment(view.header.time))
        let amount = Amount(
            transactions: 1, events: UInt64(view.eventCount),
            raw: ByteCount(UInt64(logged.payload.count)), stored: logged.storedBytes)
        let ratio = Double(amount.stored.rawValue) / Double(max(amount.raw.rawValue, 1))
        addToSegment(segment, view.id, ratio)
        guard view.id >= floor else {
            belowFloor += amount
            return
        }
        note(transaction)
        add(amount, view.header, transaction, ratio)
        for (type, share) in shares {
            types[type, default: TypeTally()].bytes &+= share.bytes
            types[type]?.stored += Double(share.bytes) * ratio
        }
        guard largest.admits(amount.stored.rawValue) else { return }
        largest.add(
            amount.stored.rawValue, try TransactionSummary(logged, view, catalog: catalog))
    }

    private mutating func add(
        _ amount: Amount, _ header: TransactionHeader, _ transaction: StoreSummary.Transaction,
        _ ratio: Double
    ) {
        total += amount
        ages[.init(of: transaction.time.microseconds, at: now.microseconds), default: Amount()] +=
            amount
        let label = header.label.map(NameTally.cut)
        _ = labels.add(label, amount, in: transaction)
        let pattern = labelPatterns.add(label.map(LabelPattern.of), amount, in: transaction)
        let author = authors.add(header.author, amount, in: transaction)
        let scope = scopes.add(header.scope, amount, in: transaction)
        let shares = shares
        periods.add(at: transaction.time.microseconds) { cell in
            cell.amount += amount
            cell.labels[pattern, default: Amount()] += amount
            cell.authors[author, default: Amount()] += amount
            cell.scopes[scope, default: Amount()] += amount
            for (type, share) in shares {
                let known = cell.types[type] ?? (0, 0)
                cell.types[type] = (
                    known.growth + share.growth, known.stored + Double(share.bytes) * ratio
                )
            }
        }
    }

    private mutating func addToSegment(_ segment: SegmentID, _ id: TransactionID, _ ratio: Double) {
        var tally = segments[segment.rawValue] ?? SegmentTally(first: id, last: id)
        tally.last = id
        tally.transactions += 1
        for (type, share) in shares {
            tally.types[type, default: 0] += Double(share.bytes) * ratio
        }
        segments[segment.rawValue] = tally
    }

    private mutating func note(_ transaction: StoreSummary.Transaction) {
        if let last, transaction.id.rawValue > last.id.rawValue + 1 {
            missing.append(
                TransactionID(last.id.rawValue + 1)...TransactionID(transaction.id.rawValue - 1))
        }
        first = first ?? transaction
        last = transaction
    }

    // MARK: Events

    private mutating func countEvents(of view: TransactionView) throws(EventError) {
        var events = view.events
        var start = events.offset
        while let event = try events.next() {
            let bytes = UInt64(events.offset - start)
            start = events.offset
            switch event {
            case .define(let event): define(try event.definition(), in: view.id)
            case .insert(let event):
                count(view, event.entity, bytes, growth: 1, isChange: event.previous != nil) {
                    $0.insert(event.row)
                }
            case .update(let event):
                count(view, event.entity, bytes, isChange: true) { $0.update(event.changes) }
            case .delete(let event):
                count(view, event.entity, bytes, growth: event.isRowless ? 0 : -1, isChange: true) {
                    $0.delete(event.row)
                }
            case .link(let event):
                count(view, event.parent, bytes, isChange: event.oldCount > 0) { $0.link() }
            case .purge(let event):
                for (position, entity) in event.entities.enumerated() {
                    count(view, entity, position == 0 ? bytes : 0) { _ in }
                }
            case .former(let event): count(view, event.entity, bytes) { _ in }
            case .withdraw(let event): count(view, event.entity, bytes) { _ in }
            case .depart(let event): count(view, event.entity, bytes) { _ in }
            case .saveOrder(let event):
                for (position, order) in event.orders.enumerated() {
                    count(view, order.entity, position == 0 ? bytes : 0) { _ in }
                }
            case .unknown: unknownEvents += view.id >= floor ? 1 : 0
            }
        }
    }

    private mutating func count(
        _ view: TransactionView, _ index: EntityIndex, _ bytes: UInt64, growth: Int64 = 0,
        isChange: Bool = false, _ change: (inout TypeTally) -> Void
    ) {
        // The iterator has checked that the entity is in the table.
        let entity = view.entities[Int(index.rawValue)]
        share(entity.type) {
            $0.bytes += bytes
            $0.growth += growth
        }
        guard view.id >= floor else { return }
        change(&types[entity.type.rawValue, default: TypeTally()])
        if isChange { changes.add(entity.type, entity.id, in: view.id) }
    }

    private mutating func share(
        _ type: TypeNumber, _ change: (inout (bytes: UInt64, growth: Int64)) -> Void
    ) {
        change(&shares[type.rawValue, default: (0, 0)])
    }
}

extension Health.Damage {
    fileprivate init(_ logged: LoggedTransaction, reason: String) {
        self.init(
            file: StoreFileName.segment(logged.location.segment).text,
            offset: logged.location.offset,
            bytes: logged.storedBytes, transaction: TransactionID(logged.sequence.rawValue),
            reason: reason)
    }

    init(_ damage: SalvageReport.Damage) {
        self.init(
            file: damage.file, offset: damage.offset, bytes: damage.bytes,
            transaction: damage.transaction.map { TransactionID($0.rawValue) },
            reason: damage.reason)
    }
}
