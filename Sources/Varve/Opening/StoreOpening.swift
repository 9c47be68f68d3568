internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// What opening a store takes, and how it goes: scan, replay, match the types, fill the context,
/// and only then mend the end of the log.
struct StoreOpening {
    let fileSystem: any FileSystem
    let environment: any LogEnvironment
    let configuration: LogConfiguration
    let types: [any EntityModelProtocol.Type]

    /// An opened store's parts.
    struct Opened {
        let state: StoreState
        /// Nil for a store that is only read.
        let log: Log?
        let prologue: PrologueSource
        let report: RecoveryReport
        /// Relations whose links may have to be completed in a first transaction.
        let newInverses: NewInverses
    }

    func open(_ mode: Store.Mode) throws(StoreError) -> Opened {
        do {
            if mode == .readWrite {
                _ = try LogCreation.createIfAbsent(in: fileSystem, environment: environment)
            }
            let scanned = try ScannedLog.scan(
                fileSystem, environment: environment, configuration: configuration,
                mode: mode == .readWrite ? .readWrite : .readOnly)
            let replayed = try replay(scanned)
            var state = try hydrate(replayed)
            let newInverses = NewInverses(in: state.context, catalog: replayed.catalog)
            let prologue = PrologueSource(catalog: replayed.catalog)
            guard mode == .readWrite else {
                newInverses.complete(&state.context)
                return Opened(
                    state: state, log: nil, prologue: prologue, report: scanned.report,
                    newInverses: newInverses)
            }
            let (log, report) = try scanned.recover(prologue: prologue.bytes)
            return Opened(
                state: state, log: log, prologue: prologue, report: report,
                newInverses: newInverses)
        } catch let error as LogError {
            throw .log(error)
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("opening throws errors of the log and of the store: \(error)")
        }
    }

    private func replay(_ scanned: ScannedLog) throws -> ReplayState {
        let state = ReplayState()
        do {
            try scanned.replay { (record) throws(StoreError) in
                switch record {
                case .catalog(let payload): try state.check(payload)
                case .transaction(let logged): try state.apply(logged)
                }
            }
        } catch .log(let error) {
            throw StoreError.log(error)
        } catch .consumer(let error) {
            throw error
        }
        return state
    }

    private func hydrate(_ replayed: ReplayState) throws(StoreError) -> StoreState {
        var context = Context()
        // Before a context makes tables for them, which traps where relations do not fit.
        let problems = Set(types.flatMap { $0._descriptor.relationProblems() })
        guard problems.isEmpty else {
            throw .schema(
                problems.map {
                    SchemaProblem(type: $0.type, property: $0.relation, reason: $0.reason)
                }.sorted { $0.description < $1.description })
        }
        for type in types { _ = context.position(of: type._descriptor) }
        var schema = Schema()
        try schema.extend(to: context, catalog: replayed.catalog, isLateAddition: false)
        try Hydration(replayed: replayed).fill(&context, &schema)
        return StoreState(
            context: context, catalog: replayed.catalog, schema: schema,
            lastTransaction: replayed.lastTransaction)
    }
}

extension ReplayState {
    /// The definitions at a segment's head must be readable; what they say is known already.
    fileprivate func check(_ catalog: UnsafeRawBufferPointer) throws(StoreError) {
        do throws(CodecError) {
            _ = try Catalog.decodeDefinitions(catalog)
        } catch {
            throw .inconsistent(
                transaction: lastTransaction, reason: "definitions at a segment's head: \(error)")
        }
    }

    fileprivate func apply(_ logged: LoggedTransaction) throws(StoreError) {
        let id = TransactionID(logged.sequence.rawValue)
        let view: TransactionView
        do throws(EventError) {
            view = try TransactionView(logged.payload)
        } catch {
            throw .inconsistent(transaction: id, reason: "\(error)")
        }
        guard view.id == id else {
            throw .inconsistent(transaction: id, reason: "it calls itself \(view.id)")
        }
        do throws(ReplayError) {
            try apply(view)
        } catch {
            throw .inconsistent(transaction: id, reason: "\(error)")
        }
    }
}
