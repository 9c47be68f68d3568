import VarveEvents
import VarveTables
import VarveTestSupport

extension SampleLog {
    /// The state after all transactions.
    borrowing func state() throws -> State {
        var state = State()
        for transaction in transactions { state = try state.applying(transaction) }
        return state
    }
}

extension State {
    /// The state behind a transaction in its binary form.
    func applying(_ bytes: [UInt8]) throws -> State {
        try changed { transaction in
            try bytes.withUnsafeBytes { bytes in try transaction.apply(TransactionView(bytes)) }
        }
    }

    /// A live entity as the JSON that the tool prints, nil if there is none.
    func text(_ type: TypeDefinition, _ id: [UInt8]) throws -> String? {
        guard let slot = id.withUnsafeBytes({ slot(of: type.number, id: $0) }),
            let entity = try describe(type.number, at: slot)
        else { return nil }
        let fields = entity.fields.map { "\($0.name)=\($0.value.json)" }
        let links = entity.links.map { link in
            "\(link.relation.name)=[\(link.targets.map(\.json).joined(separator: ","))]"
        }
        let state = entity.isDeleted ? ["deleted"] : []
        return (state + fields + links + ["#\(entity.ordinal)", "@\(entity.transaction)"])
            .joined(separator: " ")
    }

    func user(_ name: String) throws -> String? {
        try text(SampleLog.users, try name.storedBytes())
    }

    func chat(_ number: Int) throws -> String? {
        try text(SampleLog.chats, try number.storedBytes())
    }
}
