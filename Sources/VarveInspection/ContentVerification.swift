internal import VarveAssets
internal import VarveEvents
internal import VarveLog
internal import VarveReplay
internal import VarveTables

/// What a check of a store's content finds, when all checksums are right.
struct ContentVerification {
    private(set) var problems: [InspectionError] = []
    /// How many indexes of checkpoints were compared with their rows.
    private(set) var indexes = 0
    /// How many were not, because this program would make other keys.
    private(set) var staleIndexes = 0
    /// Nil where something before was wrong.
    private(set) var assets: AssetCheck?

    init(_ fileSystem: any FileSystem) {
        do throws(InspectionError) {
            try verify(fileSystem)
        } catch {
            problems.append(error)
        }
    }

    /// Throws the first problem that the rest of the check depends on.
    private mutating func verify(_ fileSystem: any FileSystem) throws(InspectionError) {
        let inspection = try Inspection(fileSystem)
        let scanned = inspection.scanned
        for checkpoint in scanned.manifest.checkpoints {
            let compared = try InspectionError.wrapping { () throws(LogError) in
                let file = try scanned.open(checkpoint)
                try file.verifyContent()
                return try file.compareIndexes()
            }
            note(compared, checkpoint.file.text)
        }
        // The log behind the older checkpoint makes of it what the newer one holds.
        try inspection.verifyCourse()
        let assets = try inspection.checkAssets(of: try inspection.verifyEnd())
        problems += assets.findings.map {
            InspectionError.entity(type: $0.place.type, reason: $0.reason)
        }
        self.assets = assets
    }

    private mutating func note(_ compared: CheckpointIndexes, _ checkpoint: String) {
        indexes += compared.count
        staleIndexes += compared.staleCount
        problems += compared.problems.map { problem in
            switch problem {
            case .difference(let difference):
                .index(StoredIndexDifference(difference, in: checkpoint))
            case .row(let type, let id, let fault):
                .entity(type: type, reason: "\(checkpoint): \(id): \(fault)")
            }
        }
    }
}
