internal import Foundation
internal import VarveLog
internal import VarveReplay

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
    /// Whether everything is read and checked and nothing written.
    public var isDryRun = false

    /// An import that writes, of files that bring their schema.
    public init() {}

    /// Reads the files, each one JSON lines, comma-separated values or the folder of an export, and writes what they
    /// hold.
    ///
    /// Lines that cannot be imported are in the report; nothing is written then. Memory grows with the store, for an
    /// existing one also with the files.
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
            let job = Job(sources: sources, schema: schema, label: label, progress: progress)
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
    let label: String
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
        var report = try fill(state ?? ReplayState(), inParts: state == nil) { _, _ in }
        report.isNew = path == nil
        return report
    }

    /// Appends to a store that is there.
    func fill(_ path: String) throws(ExchangeError) -> ImportReport {
        let scanned = try Self.logging { () throws(LogError) in
            try ScannedLog.scan(POSIXFileSystem(path), mode: .readWrite)
        }
        let replayed = try Self.replay(scanned)
        var payloads: [(header: TransactionHeader, bytes: [UInt8])] = []
        var report = try fill(replayed.state, inParts: false) { header, bytes in
            payloads.append((header, bytes.copyBytes()))
        }
        guard report.refusedCount == 0, !payloads.isEmpty else { return report }
        // What a program will do when it opens the store, before anything is written.
        let check = try Self.replay(scanned).state
        for (header, bytes) in payloads {
            try ExchangeError.wrapping { () throws(InspectionError) in
                try check.take(bytes, as: header.id)
            }
        }
        report.transaction = payloads.last?.header.id
        try Self.logging { () throws(LogError) in
            let (log, _) = try scanned.recover(
                start: replayed.start, prologue: check.catalog.encodedDefinitions)
            do throws(LogError) {
                for (header, bytes) in payloads {
                    try bytes.withLogBytes { bytes throws(LogError) in
                        try log.append(header, bytes)
                    }
                }
                try log.close()
            } catch {
                log.abandon()
                throw error
            }
        }
        return report
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
            return try ScannedLog.scan(directory, mode: .readWrite)
        }
        let state = try Self.replay(scanned).state
        let (log, _) = try Self.logging { () throws(LogError) in
            try scanned.recover(prologue: state.catalog.encodedDefinitions)
        }
        var report: ImportReport
        do throws(ExchangeError) {
            report = try fill(state, inParts: true) { header, bytes throws(LogError) in
                try bytes.withBytes { bytes throws(LogError) in try log.append(header, bytes) }
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

    private func fill(
        _ state: ReplayState, inParts: Bool, _ emit: @escaping ImportWriter.Emission
    ) throws(ExchangeError) -> ImportReport {
        let time = Timestamp(
            microseconds: max(
                SystemEnvironment().wallClockMicroseconds(), state.lastTime.microseconds))
        let writer = ImportWriter(
            after: state.lastTransaction, label: label, time: time, writesInParts: inParts,
            emit: emit)
        let declared = try definitions(beside: state.catalog)
        try writer.define(declared.definitions, in: state)
        let work = ImportWork(state, writer)
        work.report.newTypes = declared.newTypes
        try ImportReading(work: work, progress: progress).read(sources)
        try work.finish()
        return work.report
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
        var (columns, first): ([String], [String?]) = ([], [])
        if case .csv = source.form {
            columns = try source.file.nextRecord()?.map { $0 ?? "" } ?? []
            first = try source.file.nextRecord() ?? []
        } else if let line = source.first, let node = try? JSONNode.parse(line) {
            (columns, first) = SchemaGuess.cells(of: node)
        }
        return .noSchema(
            path: source.file.path, columns: columns,
            example: SchemaGuess.example(source.type ?? "Entity", columns: columns, first: first))
    }

    private static func replay(_ scanned: ScannedLog) throws(ExchangeError) -> ReplayedLog {
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

extension Log {
    fileprivate func append(
        _ header: TransactionHeader, _ bytes: UnsafeRawBufferPointer
    ) throws(LogError) {
        try append(
            sequence: LogSequence(header.id.rawValue), time: header.time.microseconds,
            payload: bytes)
    }
}
