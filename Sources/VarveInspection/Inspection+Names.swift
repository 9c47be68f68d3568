internal import VarveEvents
internal import VarveText
internal import VarveTables

extension Inspection {
    /// The types as the newest segment of the log knows them, without a replay. Empty where a compaction left nothing of
    /// the log.
    public func newestTypes() throws(InspectionError) -> [InspectedType] {
        guard let catalog = try newestCatalog() else { return [] }
        return catalog.definitions.map { definition in
            InspectedType(definition) { catalog.definition(of: $0) }
        }
    }

    /// The definitions of the newest segment that holds a transaction.
    func newestCatalog() throws(InspectionError) -> Catalog? {
        let position = snapshot.segments.lastIndex { $0.transactions > 0 }
        return try position.map { position throws(InspectionError) in
            try catalog(ofSegmentAt: position)
        }
    }

    /// What the log holds, before compression.
    public var rawBytes: ByteCount {
        ByteCount(snapshot.segments.reduce(0) { $0 &+ $1.rawBytes.rawValue })
    }

    /// Ids of a type as people write them, in the order of the type: those that begin with a text, so many at most.
    /// Replays the log.
    public func ids(
        of type: String, _ selection: EntityList.Selection = .live, beginning start: String = "",
        limit: Int = .max
    ) throws(InspectionError) -> [String] {
        let list = try entities(of: type, selection)
        var ids: [String] = []
        for slot in list.slots where ids.count < limit {
            guard let entry = list.state.entry(of: list.definition.number, at: slot) else {
                continue
            }
            do throws(CodecError) {
                let id = InspectedValue(try StoredValue(list.definition.idType, bytes: entry.id))
                if id.written.hasPrefix(start) { ids.append(id.written) }
            } catch {
                throw .entity(type: type, reason: "\(error)")
            }
        }
        return ids
    }
}

extension InspectedValue {
    /// An id as a person writes it: see `isWritten`.
    fileprivate var written: String {
        switch stored.content {
        case .string(let text), .url(let text), .decimal(let text): text
        case .uuid: json.withoutQuotationMarks
        default: json
        }
    }
}
