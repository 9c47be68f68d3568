internal import VarveAssets
internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveReplay
internal import VarveTables

extension StoreOpening {
    /// Makes the transaction of the migrations that a state needs; nil where it needs none.
    func migrate(_ state: State) throws -> MigrationRun.Outcome? {
        let pending = try MigrationRun.pending(migrations, behind: state.timeline)
        guard !pending.isEmpty else { return nil }
        // What steps read is handed to code of the app: it must not find a damaged block empty.
        var comparison = state.checkpointComparison
        while try comparison?.advance() ?? false {}
        let time = Timestamp(microseconds: environment.wallClockMicroseconds())
        let run = MigrationRun(
            state, pending, declared: try declaredTypes(), time: time, migrating.progress)
        let migrated = try run.perform()
        try admitAssets(of: migrated)
        return migrated
    }

    /// Refuses a migration that makes up an asset whose file is not there. Another property may take over one whose
    /// file is lost: the store is none the worse for it. No file is removed: the history before names it, and a
    /// compaction decides.
    func admitAssets(
        of migrated: MigrationRun.Outcome
    ) throws(StoreError) {
        let catalog = migrated.state.catalog
        let problem = migrated.payload.withReader { reader in
            assets.firstProblem(in: reader.rest, catalog, allowsMoves: true)
        }
        guard let problem else { return }
        throw .asset(
            AssetFailure(
                problem.place.asset, AssetFailure.Reason(problem.problem), at: problem.place))
    }

    /// Copies the store as it is before a migration.
    func backUp(before migrated: MigrationRun.Outcome) throws {
        guard migrated.header.id > 1,
            let directory = migrating.backup.directory(before: migrated.header.id, fileSystem)
        else { return }
        migrating.progress(MigrationProgress(stage: .backingUp, done: 0, total: 1))
        let report = try NewDirectory(directory).make { directory throws(LogError) in
            var report = try LogBackup.run(
                from: fileSystem, to: directory, environment: environment,
                configuration: configuration)
            try report.addAssets(from: fileSystem, to: directory, environment: environment)
            return report
        }
        // A lost photo must not keep the app from opening its store: the migration changes no file.
        log?.backedUp(report, to: directory)
        migrating.progress(MigrationProgress(stage: .backingUp, done: 1, total: 1))
    }

    /// What the app's types do not show of a state.
    func unread(of replayed: State) throws(StoreError) -> UnreadContent {
        try hydrate(replayed, nil, for: .opening, mayWait: false).unread
    }

    func declaredTypes() throws(StoreError) -> [DeclaredType] {
        try Schema().declaredTypes(of: try emptyContext()).types
    }

    /// Refuses an app that declares names which migrations that it does not know have taken from their data: it would
    /// find none, and define what has the names anew.
    func checkFormerNames(
        _ declared: [DeclaredType], _ replayed: State
    ) throws(StoreError) {
        guard replayed.timeline.migrations.contains(where: { $0.transaction > 1 }) else { return }
        let problems = replayed.catalog.formerNames(in: declared).map {
            SchemaProblem(
                type: $0.type, property: $0.member, reason: "a migration renamed or removed it")
        }
        let error = StoreError.schema(problems).naming(migrations, replayed.timeline)
        if case .migratedByNewerApp(_, let problems) = error, !problems.isEmpty { throw error }
    }
}

extension StoreError {
    /// Says of types that do not fit the log that a newer app has migrated it, where it did: an app that knows some
    /// migration of the log knows those behind it, and has dropped the others.
    func naming(_ known: [Migration], _ timeline: Timeline) -> StoreError {
        guard case .schema(let problems) = self else { return self }
        let ids = Set(known.map(\.id))
        let performed = timeline.migrations.map(\.id)
        guard !performed.isEmpty, ids.isDisjoint(with: performed) else { return self }
        return .migratedByNewerApp(performed.map(\.description), problems)
    }
}
