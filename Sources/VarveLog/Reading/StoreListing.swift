/// The names in a store's directory, sorted by what they mean.
struct StoreListing {
    /// Nil when the directory does not exist.
    let names: [String]?
    private(set) var manifestGenerations: [UInt64] = []
    /// Ascending.
    private(set) var segments: [SegmentID] = []
    private(set) var checkpoints: [UInt64] = []
    private(set) var temporaryFiles: [String] = []
    private(set) var foreignFiles: [String] = []
    /// Checkpoints, assets, cut tails: what only a store that held data has.
    private var dataFiles: [String] = []

    init(_ fileSystem: any FileSystem) throws(LogError) {
        names = try LogError.wrapping { () throws(FileSystemError) in try fileSystem.list() }
        for name in names ?? [] {
            switch StoreFileName(name) {
            case .manifest(let generation): manifestGenerations.append(generation)
            case .segment(let segment): segments.append(segment)
            case .temporary: temporaryFiles.append(name)
            case .checkpoint(let number):
                checkpoints.append(number)
                dataFiles.append(name)
            case .lost, .assets: dataFiles.append(name)
            case .lock: break
            case nil: foreignFiles.append(name)
            }
        }
        manifestGenerations.sort()
        segments.sort()
        checkpoints.sort()
        temporaryFiles.sort()
        foreignFiles.sort()
    }

    /// What a directory is to someone who wants to open a store in it.
    enum Kind {
        case store(generation: UInt64)
        /// Absent, empty, or left by a creation that did not finish and held no data yet.
        case vacant
    }

    func kind(in fileSystem: any FileSystem) throws(LogError) -> Kind {
        if let generation = manifestGenerations.last { return .store(generation: generation) }
        if let foreign = foreignFiles.first, segments.isEmpty {
            throw .notAStore(directory: fileSystem.displayPath, reason: "it holds \(foreign)")
        }
        guard try holdsNoData(fileSystem) else {
            throw .manifestDamaged(
                file: StoreFileName.manifest(generation: 1).text,
                reason: "it is missing beside files that hold data")
        }
        return .vacant
    }

    /// The first segment gets its name before the manifest does, and its first frame after.
    private func holdsNoData(_ fileSystem: any FileSystem) throws(LogError) -> Bool {
        guard dataFiles.isEmpty else { return false }
        guard let first = segments.first else { return true }
        guard segments.count == 1, first == SegmentID(1) else { return false }
        let length = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(StoreFileName.segment(first).text, .read).length()
        }
        return length.rawValue <= UInt64(SegmentHeader.byteCount)
    }
}
