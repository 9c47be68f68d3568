internal import Foundation
internal import VarveLog
internal import VarveReplay
internal import VarveTables

/// An import of entities into a store, which is made where there is none, without the types of a program.
///
/// It happens whole or not at all: a new store appears under its name when it is complete and was read back, an
/// existing one gets one transaction, which can be undone. Unique constraints are the program's alone: they are
/// not looked at.
public struct StoreImport: Sendable {
    /// The types of a store that lacks them; nil where the files have a schema, or the store has the types.
    public var schema: StoreSchema?
    /// The type of lines and files that name none.
    public var type: String?
    /// The path of a store that has the files of assets which lines name and this store lacks; they are copied.
    public var assets: String?
    /// Whether everything is read and checked and nothing written.
    public var isDryRun = false
    /// How the log of a new store is written.
    package var configuration = LogConfiguration()

    /// An import that writes, of files that bring their schema.
    public init() {}

    /// Reads the files, each one JSON lines, comma-separated values or the folder of an export, and writes what they
    /// hold.
    ///
    /// Lines that cannot be imported are in the report; nothing is written then. Memory grows with the store; for an
    /// existing one the transaction is in it as well, which has the bytes of the values that the files bring.
    ///
    /// - Parameter progress: called now and then with the number of lines that were read.
    public func run(
        files: [String], into path: String, progress: (Int) -> Void = { _ in }
    ) throws(ExchangeError) -> ImportReport {
        let (sources, found) = try ImportSource.all(files, type: type)
        let schema = try ImportSource.joined(self.schema, found)
        let label = Self.label(files)
        let isThere = Self.hasStore(path)
        return try withoutActuallyEscaping(progress) { progress throws(ExchangeError) in
            let job = Job(
                sources: sources, schema: schema, type: type, label: label,
                assets: assets, isDryRun: isDryRun, configuration: configuration,
                progress: progress)
            if isDryRun { return try job.rehearse(isThere ? path : nil) }
            return try isThere ? job.fill(path) : job.make(path)
        }
    }

    private static func label(_ files: [String]) -> String {
        let name = files.first?.split(separator: "/").last.map { String($0) } ?? ""
        return "import \(name)" + (files.count > 1 ? " and \(files.count - 1) more" : "")
    }

    private static func hasStore(_ path: String) -> Bool {
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        return !(names ?? []).isEmpty
    }
}

/// The parts of an import that differ by where it goes.
private struct Job {
    let sources: [ImportSource]
    let schema: StoreSchema?
    let type: String?
    let label: String
    let assets: String?
    let isDryRun: Bool
    let configuration: LogConfiguration
    let progress: (Int) -> Void

    /// Reads everything into a state that is thrown away.
    ///
    /// - Parameter path: of the store; nil of one that is still to be made.
    func rehearse(_ path: String?) throws(ExchangeError) -> ImportReport {
        let state = try path.map { path throws(ExchangeError) in
            try ExchangeError.wrapping { () throws(InspectionError) in
                try Inspection(at: path).replay()
            }
        }
        let transaction = StateTransaction(state ?? State())
        defer { transaction.rollBack() }
        let store: any FileSystem =
            if let path { POSIXFileSystem(path) } else { MemoryFileSystem() }
        var report = try (state ?? State()).reading {
            .inspection(.log($0))
        } _: { () throws(ExchangeError) in
            try fill(transaction, inParts: state == nil, store) { _, _ in }
        }
        report.isNew = path == nil
        return report
    }

    /// Appends to a store that is there: one transaction, of new definitions and rows alike.
    func fill(_ path: String) throws(ExchangeError) -> ImportReport {
        let scanned = try Self.logging { () throws(LogError) in
            try ScannedLog.scan(POSIXFileSystem(path), mode: .readWrite)
        }
        let replayed = try Self.replay(scanned)
        let (state, start) = (replayed.state, replayed.start)
        let (prepared, transaction) = try state.reading {
            .inspection(.log($0))
        } _: { () throws(ExchangeError) in
            try prepare(state, POSIXFileSystem(path))
        }
        guard prepared.refusedCount == 0, let transaction else { return prepared }
        // What a program will do when it opens the store, before anything is written.
        try ExchangeError.wrapping { () throws(InspectionError) in
            try transaction.bytes.withBytes { bytes throws(InspectionError) in
                try state.inspecting { () throws(InspectionError) in
                    try state.check(bytes, as: transaction.header.id)
                }
            }
        }
        try Self.logging { () throws(LogError) in
            let (log, _) = try scanned.recover(
                start: start, prologue: state.catalog.encodedDefinitions)
            do throws(LogError) {
                try log.append(transaction.header, transaction.bytes)
                try log.close()
            } catch {
                log.abandon()
                throw error
            }
        }
        var report = prepared
        report.transaction = transaction.header.id
        return report
    }

    /// Makes the transaction; nil where nothing changes.
    private func prepare(
        _ state: State, _ store: any FileSystem
    ) throws(ExchangeError) -> (ImportReport, PreparedTransaction?) {
        let draft = StateTransaction(state)
        defer { draft.rollBack() }
        var transaction: PreparedTransaction?
        let report = try fill(draft, inParts: false, store) { header, bytes in
            transaction = PreparedTransaction(header, bytes)
        }
        return (report, transaction)
    }

    /// Makes a store, under another name until it is complete.
    func make(_ path: String) throws(ExchangeError) -> ImportReport {
        var outcome: Result<ImportReport, ExchangeError>?
        do throws(LogError) {
            try NewDirectory(path).make { directory throws(LogError) in
                do throws(ExchangeError) {
                    outcome = .success(try make(in: directory))
                } catch {
                    outcome = .failure(error)
                }
                guard case .success(let report) = outcome, report.refusedCount == 0 else {
                    // Nothing is to be kept.
                    throw .closed
                }
            }
        } catch {
            switch outcome {
            case .success(let report) where report.refusedCount > 0: return report
            case .failure(let error): throw error
            default: throw .inspection(.log(error))
            }
        }
        guard case .success(let report) = outcome else {
            preconditionFailure("a directory that was made was filled")
        }
        return report
    }

    private func make(
        in directory: any FileSystem
    ) throws(ExchangeError) -> ImportReport {
        let scanned = try Self.logging { () throws(LogError) in
            try LogCreation.createIfAbsent(in: directory)
            return try ScannedLog.scan(
                directory, configuration: configuration, mode: .readWrite)
        }
        let state = StateTransaction(try Self.replay(scanned).state)
        defer { state.rollBack() }
        // What the log has of the definitions, which each new segment repeats.
        var logged = state.catalog
        let (log, _) = try Self.logging { () throws(LogError) in
            try scanned.recover { logged.encodedDefinitions() }
        }
        var report: ImportReport
        do throws(ExchangeError) {
            report = try fill(state, inParts: true, directory) { header, bytes throws(LogError) in
                try log.append(header, bytes)
                logged = state.catalog
            }
            guard report.refusedCount == 0 else {
                log.abandon()
                return report
            }
            try Self.logging { () throws(LogError) in try log.close() }
        } catch {
            log.abandon()
            throw error
        }
        // A program that writes to the store would do it next. Until then each reader would replay all of the log.
        if log.bytesSinceCheckpoint >= configuration.automaticCompactionBytesMin {
            try ExchangeError.wrapping { () throws(InspectionError) in
                _ = try StoreCompaction.compact(directory)
            }
        }
        report.isNew = true
        report.transaction = TransactionID(log.lastSequence.rawValue)
        do throws(InspectionError) {
            try Inspection(directory).verifyEnd()
        } catch {
            throw .notReadBack(reason: "\(error)")
        }
        return report
    }

    // MARK: Parts

    /// - Parameter store: what has the assets that lines name.
    private func fill(
        _ state: StateTransaction, inParts: Bool, _ store: any FileSystem,
        _ emit: @escaping ImportWriter.Emission
    ) throws(ExchangeError) -> ImportReport {
        let time = Timestamp(
            microseconds: max(
                SystemEnvironment().wallClockMicroseconds(), state.lastTime.microseconds))
        let writer = ImportWriter(
            after: state.lastTransaction, label: label, time: time, writesInParts: inParts,
            emit: emit)
        let catalog = state.catalog
        let declared = try definitions(beside: catalog)
        try writer.define(declared.definitions, in: state)
        let assets = ImportedAssets(of: store, source: assets)
        for definition in declared.definitions {
            try Self.admitDefaults(of: definition, beside: catalog, assets)
        }
        let work = ImportWork(state, writer, assets, isDryRun: isDryRun)
        if let type, work.types[type] == nil {
            throw .inspection(
                .noSuchType(name: type, known: state.catalog.definitions.map(\.name)))
        }
        work.report.newTypes = declared.newTypes
        try ImportReading(work: work, progress: progress).read(sources)
        try work.finish()
        return work.report
    }

    /// Refuses a new property whose default is an asset that is not to be had.
    private static func admitDefaults(
        of definition: TypeDefinition, beside catalog: Catalog, _ assets: ImportedAssets
    ) throws(ExchangeError) {
        let known = catalog.definition(named: definition.name)
        for field in definition.fields where known?.field(named: field.name) == nil {
            guard let fill = field.fill, field.type.holdsAssets else { continue }
            let reason: String?
            do throws(CodecError) {
                reason = try fill.withReader { reader throws(CodecError) in
                    try assets.admit(reader.rest, field.type, at: nil)
                }
            } catch {
                reason = "\(error)"
            }
            guard let reason else { continue }
            throw .types(["the default of '\(field.name)' of \(definition.name): \(reason)"])
        }
    }

    /// What must be defined: types that the store lacks, and fields and relations that its types lack.
    private func definitions(
        beside catalog: Catalog
    ) throws(ExchangeError) -> (definitions: [TypeDefinition], newTypes: [String]) {
        let known = StoreSchema(catalog.definitions).types
        var declared: [DeclaredType] = []
        for type in schema?.types ?? [] {
            guard var own = known.first(where: { $0.name == type.name }) else {
                declared.append(type)
                continue
            }
            let fields = type.fields.filter { new in
                !own.fields.contains { $0.name == new.name }
            }
            let relations = type.relations.filter { new in
                !own.relations.contains { $0.name == new.name }
            }
            own.fields += fields
            own.relations += relations
            if !fields.isEmpty || !relations.isEmpty { declared.append(own) }
        }
        if catalog.isEmpty, declared.isEmpty { throw try noSchema() }
        let merge = catalog.merging(declared: declared)
        guard merge.errors.isEmpty else { throw .types(merge.errors.map { "\($0)" }) }
        let names = declared.map(\.name).filter { catalog.definition(named: $0) == nil }
        return (merge.definitions, names)
    }

    /// What to do where nothing says what the types are.
    private func noSchema() throws(ExchangeError) -> ExchangeError {
        guard let source = sources.first else { return .types(["there are no files"]) }
        let path = source.file.path
        var (columns, first): ([String], [String?]) = ([], [])
        var type = source.type
        if case .csv = source.form {
            guard let titles = try source.file.nextTitles() else { return .emptyFile(path: path) }
            columns = titles
            first = try source.file.nextRecord() ?? []
        } else {
            guard let line = source.first else { return .emptyFile(path: path) }
            let node: JSONNode
            do throws(ExchangeProblem) {
                node = try JSONNode.parse(line)
            } catch {
                return .file(
                    path: path,
                    reason: "line \(source.file.line) is no JSON: \(error.reason); "
                        + "give JSON lines, or a file with comma-separated values whose name "
                        + "ends in .csv")
            }
            (columns, first) = SchemaGuess.cells(of: node)
            type = node["type"]?.text ?? type
        }
        return .noSchema(
            path: path, columns: columns,
            example: SchemaGuess.example(type ?? "Entity", columns: columns, first: first))
    }

    private static func replay(_ scanned: ScannedLog) throws(ExchangeError) -> LoggedState {
        try ExchangeError.wrapping { () throws(InspectionError) in
            try Inspection.replay(scanned)
        }
    }

    private static func logging<Result>(
        _ body: () throws(LogError) -> Result
    ) throws(ExchangeError) -> Result {
        do throws(LogError) {
            return try body()
        } catch {
            throw .inspection(.log(error))
        }
    }
}

/// A transaction that is to be appended.
private final class PreparedTransaction {
    let header: TransactionHeader
    let bytes: ByteWriter

    init(_ header: TransactionHeader, _ bytes: consuming ByteWriter) {
        self.header = header
        self.bytes = bytes
    }
}

extension Log {
    fileprivate func append(
        _ header: TransactionHeader, _ bytes: borrowing ByteWriter
    ) throws(LogError) {
        try bytes.withBytes { bytes throws(LogError) in
            try append(
                sequence: LogSequence(header.id.rawValue), time: header.time.microseconds,
                payload: bytes)
        }
    }
}
