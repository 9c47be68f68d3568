extension Inspection {
    /// The transactions of the log. Reads no more than what is asked for, and beside it the
    /// definitions of each segment that it comes to.
    public func transactions(
        _ order: TransactionWalk.Order = .newestFirst,
        filter: TransactionFilter = TransactionFilter()
    ) -> TransactionWalk {
        TransactionWalk(self, order: order, filter: filter)
    }

    /// One transaction with its events. Reads its segment up to it.
    ///
    /// - Parameter positions: of the events to return, of all ``TransactionSummary/eventCount``. A part of a
    ///   large transaction takes little memory.
    public func transaction(
        _ id: TransactionID, events positions: Range<Int> = 0..<Int.max
    ) throws(InspectionError) -> InspectedTransaction {
        guard id >= firstTransaction, id <= lastTransaction,
            let position = snapshot.segments.lastIndex(where: {
                $0.header.firstSequence.rawValue <= id.rawValue
            })
        else {
            throw .noSuchTransaction(id, first: firstTransaction, last: lastTransaction)
        }
        let catalog = try SegmentCatalog(snapshot, segmentAt: position, through: id).catalog
        do throws(ReplayFailure<InspectionError>) {
            return try reader.withTransaction(LogSequence(id.rawValue)) {
                logged throws(InspectionError) in
                try InspectedTransaction(logged, catalog: catalog, events: positions)
            }
        } catch {
            throw error.inspectionError
        }
    }

    /// The definitions of a whole segment. Kept for the next call, which mostly is for the same.
    func catalog(ofSegmentAt position: Int) throws(InspectionError) -> Catalog {
        let segment = snapshot.segments[position]
        if let known = segmentCatalog, known.segment == segment.id { return known.catalog }
        let read = try SegmentCatalog(
            snapshot, segmentAt: position, through: TransactionID(segment.lastSequence.rawValue))
        segmentCatalog = read
        return read.catalog
    }
}

extension InspectedTransaction {
    /// - Parameter positions: which of the events; all unless given.
    init(
        _ logged: LoggedTransaction, catalog: Catalog, events positions: Range<Int> = 0..<Int.max
    ) throws(InspectionError) {
        let view = try TransactionView(of: logged)
        summary = try TransactionSummary(logged, view, catalog: catalog)
        events = try Self.events(of: view, logged.location, catalog: catalog, positions)
    }

    /// - Parameter includesLinks: whether changes of links are among them: there are many, and they have no texts.
    static func events(
        of view: TransactionView, _ location: FrameLocation, catalog: Catalog,
        _ positions: Range<Int> = 0..<Int.max, includesLinks: Bool = true
    ) throws(InspectionError) -> [InspectedEvent] {
        do throws(DescriptionError) {
            return try TransactionDescription(
                view, catalog: catalog, events: positions, includesLinks: includesLinks
            ).events.map { InspectedEvent($0, catalog: catalog, in: view.id) }
        } catch {
            throw .transaction(view.id, location, reason: error.reason)
        }
    }
}

extension DescriptionError {
    fileprivate var reason: String {
        switch self {
        case .event(let error): "\(error)"
        case .value(let error): "\(error)"
        case .unknownType(let type): "type \(type) is not defined"
        case .unknownField(let type, let position): "'\(type)' has no field \(position)"
        case .unknownRelation(let type, let number): "'\(type)' has no relation \(number)"
        }
    }
}
