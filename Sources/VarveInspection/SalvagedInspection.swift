internal import VarveEvents
public import VarveLog
internal import VarveReplay

/// What is sound of a damaged store, to be looked at like any other.
///
/// The undamaged transactions are copied into a store in memory, under their own numbers. Empty ones replace those that
/// are lost between others. Takes memory for the files, and as long as a rescue.
public struct SalvagedInspection {
    /// What is missing.
    public let report: SalvageReport
    private let source: any FileSystem
    private let files: MemoryFileSystem

    /// Reads all of a store, and changes nothing.
    ///
    /// - Parameter bytesMax: the files of a larger store are not read into memory.
    /// - Throws: what a rescue throws: there is no store, or another process writes to it.
    public init(
        at path: String, bytesMax: ByteCount = ByteCount(512 << 20)
    ) throws(InspectionError) {
        let source = ReadObservation.fileSystem(at: path)
        let bytes = try InspectionError.wrapping { () throws(LogError) in
            try LogError.wrapping { () throws(FileSystemError) in try Self.bytes(of: source) }
        }
        guard bytes <= bytesMax else { throw .tooLargeToSalvageInMemory(bytes, limit: bytesMax) }
        let files = MemoryFileSystem(name: path)
        self.source = source
        self.files = files
        report = try InspectionError.wrapping { () throws(LogError) in
            try LogSalvage.run(from: source, to: files, content: .replaying())
        }
    }

    private static func bytes(of directory: any FileSystem) throws(FileSystemError) -> ByteCount {
        var total: UInt64 = 0
        for name in try directory.list() ?? [] {
            guard let kind = StoreFileName(name), kind != .lost, kind != .assets else { continue }
            total += try directory.open(name, .read).length().rawValue
        }
        return ByteCount(total)
    }

    /// The sound part, from its newest state on.
    public func makeInspection() throws(InspectionError) -> Inspection {
        try Inspection(files, salvagedFrom: (source, report))
    }
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
