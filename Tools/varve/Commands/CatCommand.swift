import VarveInspection

/// `varve cat`: the current state of entities.
struct CatCommand: Command {
    static let deleted = OptionDefinition(
        name: "deleted", letter: "d",
        help: "show deleted entities, as they would be restored, instead of live ones")

    static let definition = CommandDefinition(
        name: "cat",
        summary: "the current entities of a type, as JSON lines",
        description: """
            Writes the current state of the entities of a type, or of the one with ID, as JSON,
            an object on each line, in the default order of the type. Reads the newest
            checkpoint and the log after it: of one entity the parts that lead to it, of a
            whole type all of the checkpoint, which is checked first.
            """,
        operands: [
            .store,
            OperandDefinition(name: "TYPE", help: "the name of the type, as 'info' shows it"),
            OperandDefinition(
                name: "ID", isRequired: false,
                help: "an id: a text without quotation marks, a number, a UUID,\n"
                    + "or any other in its JSON form"),
        ],
        options: [deleted],
        examples: [
            "cat Chats.varve Chat", "cat Chats.varve Chat 1 | jq .fields",
            "cat --deleted Chats.varve Chat",
        ])

    private let path: String
    private let listing: EntityListing

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        listing = EntityListing(
            type: arguments.operands[1], id: arguments.operands.dropFirst(2).first,
            selection: arguments.has(Self.deleted) ? .deleted : .live)
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        try listing.write(at: nil, ofStoreAt: path, in: session)
    }
}

/// Which entities are to be shown.
struct EntityListing {
    let type: String
    let id: String?
    let selection: EntityList.Selection

    /// - Parameter moment: the transaction behind which they are shown; nil for the newest.
    func write(
        at moment: TransactionID?, ofStoreAt path: String, in session: Session
    ) throws(ToolFailure) -> ExitStatus {
        // All of a type is read while it is written.
        let store = SoundStore(at: path, verifiesCheckpoint: id == nil)
        if let id {
            let entity = try store.inspect { inspection throws(InspectionError) in
                if let moment { try inspection.goBack(to: moment) }
                return try inspection.entity(of: type, id: id, selection)
            }
            try session.write(entity.json)
            return try store.end()
        }
        let entities = try store.inspect { inspection throws(InspectionError) in
            if let moment { try inspection.goBack(to: moment) }
            return try inspection.entities(of: type, selection)
        }
        for position in 0..<entities.count {
            let entity = try ToolFailure.inspecting { () throws(InspectionError) in
                try entities.entity(at: position)
            }
            try session.write(entity.json)
        }
        return try store.end()
    }
}

extension InspectedEntity {
    fileprivate var json: JSON {
        [
            "type": .text(type), "id": .value(id), "fields": fields.json,
            "links": .object(links.map { (key: $0.relation, value: $0.json) }),
            "ordinal": .number(ordinal), "transaction": .id(transaction),
            "updatedAt": .moment(updatedAt), "deleted": .bool(isDeleted),
        ]
    }
}

extension InspectedEntity.Links {
    /// An array of ids, or of a to-one relation its id or null.
    fileprivate var json: JSON {
        if isToMany { return .array(targets.map { .value($0) }) }
        return targets.first.map { .value($0) } ?? .null
    }
}
