/// The definitions in force in one segment, with every revision since its head.
///
/// The segment's head repeats what was defined before it, so nothing older need be read; what the
/// segment itself defined is found by reading it up to the transaction in question.
struct SegmentCatalog {
    let segment: SegmentID
    /// The newest transaction whose definitions are in.
    let last: TransactionID
    let catalog: Catalog

    /// Reads a segment's definitions up to and including those of `last`.
    init(
        _ snapshot: LogSnapshot, segmentAt position: Int, through last: TransactionID
    ) throws(InspectionError) {
        let entry = snapshot.segments[position]
        var collector = Collector(
            segment: entry.id, first: TransactionID(entry.header.firstSequence.rawValue),
            last: last)
        do throws(ReplayFailure<Collector.End>) {
            try snapshot.replay(segmentAt: position) { record throws(Collector.End) in
                try collector.take(record)
            }
        } catch {
            switch error {
            case .log(let error): throw .log(error)
            case .consumer(.failed(let error)): throw error
            case .consumer(.reached): break
            }
        }
        segment = entry.id
        self.last = last
        catalog = collector.catalog
    }

    static func definitions(
        _ payload: UnsafeRawBufferPointer, of segment: SegmentID
    ) throws(InspectionError) -> [TypeDefinition] {
        do throws(CodecError) {
            return try Catalog.decodeDefinitions(payload)
        } catch {
            throw .definitions(segment, reason: "\(error)")
        }
    }
}

/// Takes the definitions out of a segment's records.
private struct Collector {
    /// Why reading ended before the segment did.
    enum End: Error {
        case reached
        case failed(InspectionError)
    }

    let segment: SegmentID
    let first: TransactionID
    let last: TransactionID
    var catalog = Catalog()

    mutating func take(_ record: LogRecord) throws(End) {
        let isLast: Bool
        do throws(InspectionError) {
            switch record {
            case .catalog(let payload):
                try define(headOf: payload)
                isLast = last < first
            case .transaction(let logged):
                try define(logged)
                isLast = logged.sequence.rawValue >= last.rawValue
            }
        } catch {
            throw .failed(error)
        }
        if isLast { throw .reached }
    }

    private mutating func define(headOf payload: UnsafeRawBufferPointer) throws(InspectionError) {
        let before = TransactionID(first.rawValue &- 1)
        let definitions = try SegmentCatalog.definitions(payload, of: segment)
        do throws(CatalogError) {
            for definition in definitions { _ = try catalog.define(definition, in: before) }
        } catch {
            throw .definitions(segment, reason: "\(error)")
        }
    }

    private mutating func define(_ logged: LoggedTransaction) throws(InspectionError) {
        let view = try TransactionView(of: logged)
        var events = view.events
        do {
            while let event = try events.next() {
                guard case .define(let event) = event else { continue }
                _ = try catalog.define(try event.definition(), in: view.id)
            }
        } catch {
            throw .transaction(view.id, logged.location, reason: "\(error)")
        }
    }
}

/// The definitions in force behind the records of a log, taken one after the other.
struct DefinitionCollector {
    private(set) var catalog: Catalog
    /// The newest transaction taken.
    private var last: TransactionID
    /// Where the definitions of a head come from that cannot be read.
    private let segment: SegmentID

    init(_ start: SegmentCatalog) {
        catalog = start.catalog
        last = start.last
        segment = start.segment
    }

    mutating func take(_ record: LogRecord) throws(InspectionError) {
        switch record {
        case .catalog(let payload): try take(headOf: payload)
        case .transaction(let logged): try take(logged)
        }
    }

    /// A segment's head repeats what is known, unless the start was a segment without frames, such as the one
    /// behind a compaction: its head is written with its first transaction.
    private mutating func take(headOf payload: UnsafeRawBufferPointer) throws(InspectionError) {
        guard catalog.definitions.isEmpty else { return }
        let definitions = try SegmentCatalog.definitions(payload, of: segment)
        do throws(CatalogError) {
            for definition in definitions { _ = try catalog.define(definition, in: last) }
        } catch {
            throw .definitions(segment, reason: "\(error)")
        }
    }

    private mutating func take(_ logged: LoggedTransaction) throws(InspectionError) {
        let view = try TransactionView(of: logged)
        var events = view.events
        do {
            while let event = try events.next() {
                guard case .define(let event) = event else { continue }
                _ = try catalog.define(try event.definition(), in: view.id)
            }
        } catch {
            throw .transaction(view.id, logged.location, reason: "\(error)")
        }
        last = view.id
    }
}
