internal import VarveEvents
internal import VarveLog
internal import VarveReplay

/// What is sound of a damaged store, to be looked at like any other.
///
/// The undamaged transactions are copied into a store in memory, under their own numbers. Empty ones replace those that
/// are lost between others. Takes memory for the files, and as long as a rescue.
public struct SalvagedInspection {
    /// What is missing.
    public let report: SalvageReport
    private let files: MemoryFileSystem

    /// Reads all of a store, and changes nothing.
    ///
    /// - Throws: what a rescue throws: there is no store, or another process writes to it.
    public init(at path: String) throws(InspectionError) {
        let files = MemoryFileSystem(name: path)
        self.files = files
        report = try InspectionError.wrapping { () throws(LogError) in
            try LogSalvage.run(
                from: ReadObservation.fileSystem(at: path), to: files, content: .replaying())
        }
    }

    /// The sound part, from its newest state on.
    public func makeInspection() throws(InspectionError) -> Inspection { try Inspection(files) }
}

extension InspectionError {
    /// Whether the store is damaged, so that a part of it may be sound.
    public var isDamage: Bool {
        switch self {
        case .log(let error):
            switch error {
            case .damaged, .manifestDamaged, .segmentMissing, .successorMissing, .chainBroken,
                .checkpointDamaged, .noUsableCheckpoint, .logEndsBeforeCheckpoint:
                true
            default: false
            }
        case .transaction, .definitions, .entity: true
        default: false
        }
    }
}
