internal import VarveEvents
internal import VarveLog
internal import VarveReplay
internal import VarveTables

extension InspectedStatistics {
    /// Reads a store once, from the oldest segment to the newest, with everything verified on the way.
    ///
    /// Needs memory for the state, as every reader of a store does; what is counted of the log beside it is
    /// bounded. Of a damaged store it counts what is sound, and says what is not: ``health``.
    ///
    /// - Parameter now: what ages are counted from.
    /// - Throws: where there is no store, or one of a later version.
    public static func gather(at path: String, now: Moment) throws(InspectionError)
        -> InspectedStatistics
    {
        try gather(POSIXFileSystem(path), now: now)
    }

    package static func gather(
        _ fileSystem: any FileSystem, now: Moment
    ) throws(InspectionError) -> InspectedStatistics {
        let log = try InspectionError.wrapping { () throws(LogError) in try SoundLog(fileSystem) }
        var state = SoundState(of: log)
        var pass = StatisticsPass(
            now: now, floor: TransactionID(log.manifest?.floor.rawValue ?? 1),
            definitions: state.state?.catalog)
        let damages = log.forEachRecord { segment, record in
            state.take(record)
            pass.take(record, in: segment)
        }
        pass.finish()
        state.finish(at: pass.last?.id)
        var live: LiveTally?
        if let replayed = state.state {
            do throws(InspectionError) {
                live = try replayed.inspecting { () throws(InspectionError) in
                    try LiveTally(of: replayed, now: now)
                }
            } catch {
                state.giveUp("\(error)")
            }
        }
        let health = Health(log, pass, state, damages.map(Health.Damage.init))
        return InspectedStatistics(
            pass, live: live, health: health, path: fileSystem.displayPath, store: log.store,
            files: try FileStatistics.all(in: fileSystem, log, pass))
    }

    private init(
        _ pass: StatisticsPass, live: LiveTally?, health: Health, path: String, store: StoreID?,
        files: [FileStatistics]
    ) {
        self.path = path
        self.store = store
        self.health = health
        first = pass.first
        last = pass.last
        log = pass.total
        belowFloor = pass.belowFloor
        types = pass.catalog.definitions.map { TypeStatistics($0, pass, live) }
        let (patterns, authors, scopes) = (
            NameStatistics.Order(pass.labelPatterns), NameStatistics.Order(pass.authors),
            NameStatistics.Order(pass.scopes)
        )
        labels = NameStatistics.Order(pass.labels).statistics
        labelPatterns = patterns.statistics
        self.authors = authors.statistics
        self.scopes = scopes.statistics
        periods = Periods(pass.periods, patterns, authors, scopes)
        largestTransactions = pass.largest.elements.map(\.element)
        largestEntities = live?.largest.elements.map(\.element) ?? []
        mostChanged = MostChanged(pass.changes, pass.catalog)
        ages = AgeStatistics.Class.allCases.map { age in
            let live = live?.ages[age] ?? (0, 0)
            return AgeStatistics(
                age: age, entities: live.entities, live: ByteCount(live.bytes),
                log: pass.ages[age] ?? Amount())
        }
        self.files = files
    }
}

extension TypeStatistics {
    fileprivate init(_ definition: TypeDefinition, _ pass: StatisticsPass, _ live: LiveTally?) {
        let tally = pass.types[definition.number.rawValue] ?? TypeTally()
        let figures = live?.types[definition.number.rawValue] ?? LiveTally.TypeFigures()
        self.init(
            type: InspectedType(definition) { pass.catalog.definition(of: $0) },
            live: figures.live, deleted: figures.deleted, liveBytes: ByteCount(figures.liveBytes),
            deletedBytes: ByteCount(figures.deletedBytes), links: figures.links,
            history: ByteCount(tally.bytes), stored: ByteCount(UInt64(tally.stored.rounded())),
            insertions: tally.insertions, updates: tally.updates, deletions: tally.deletions,
            linkChanges: tally.linkChanges,
            fields: definition.fields.enumerated().map { position, field in
                FieldStatistics(
                    name: field.name, type: "\(field.type)",
                    live: ByteCount(
                        figures.fields.indices.contains(position) ? figures.fields[position] : 0),
                    history: ByteCount(tally.fields[field.number.rawValue] ?? 0))
            })
    }
}

extension NameStatistics {
    /// Entries in the order in which they are returned, and where each was before.
    fileprivate struct Order {
        let statistics: NameStatistics
        private let places: [Int: Int]

        init(_ tally: NameTally) {
            let order = tally.entries.indices.sorted { first, second in
                let (one, other) = (tally.entries[first].amount, tally.entries[second].amount)
                return (one.stored.rawValue, one.transactions, second)
                    > (other.stored.rawValue, other.transactions, first)
            }
            places = Dictionary(
                order.enumerated().map { ($0.element, $0.offset) },
                uniquingKeysWith: { first, _ in first })
            statistics = NameStatistics(
                entries: order.map { position in
                    let entry = tally.entries[position]
                    return Entry(
                        name: entry.name, amount: entry.amount, first: entry.first, last: entry.last
                    )
                }, others: tally.othersAmount)
        }

        /// Amounts by position in the tally, by position in the entries.
        func reordered(
            _ amounts: [Int: InspectedStatistics.Amount]
        ) -> [Int: InspectedStatistics.Amount] {
            var result: [Int: InspectedStatistics.Amount] = [:]
            for (position, amount) in amounts {
                result[places[position] ?? NameTally.others] = amount
            }
            return result
        }
    }
}

extension Periods {
    fileprivate init(
        _ tally: TimeTally<PeriodCell>, _ labels: NameStatistics.Order,
        _ authors: NameStatistics.Order,
        _ scopes: NameStatistics.Order
    ) {
        microseconds = tally.width
        periods = tally.cells.enumerated().map { position, cell in
            Period(
                start: Moment(microseconds: tally.start(of: position)), amount: cell.amount,
                types: cell.types.mapValues {
                    (growth: $0.growth, stored: ByteCount(UInt64($0.stored.rounded())))
                },
                labels: labels.reordered(cell.labels), authors: authors.reordered(cell.authors),
                scopes: scopes.reordered(cell.scopes))
        }
    }
}

extension InspectedStatistics.MostChanged {
    private static let entitiesMax = 20

    fileprivate init(_ tally: ChangeTally, _ catalog: Catalog) {
        let most = tally.counts.sorted { first, second in
            (first.value.changes, second.key.type, second.key.id.count)
                > (second.value.changes, first.key.type, first.key.id.count)
        }.prefix(Self.entitiesMax)
        entities = most.compactMap { key, count in
            guard let definition = catalog.definition(of: TypeNumber(key.type)),
                let id = try? StoredValue(definition.idType, bytes: key.id)
            else { return nil }
            return InspectedStatistics.EntityFigure(
                entity: EntityName(type: definition.name, id: InspectedValue(id)),
                figure: count.changes, transaction: count.last)
        }
        missed = tally.missed
    }
}
