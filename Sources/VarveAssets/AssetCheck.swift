internal import VarveEvents
package import VarveLog

/// Compares the assets that a store names with the files that are there.
package struct AssetCheck {
    /// An asset whose file is not what the log says, and the first entity that names it.
    package struct Finding: Hashable, Sendable {
        package let place: AssetNames.Place
        package let problem: AssetProblem

        /// One line without the type: id, property, file and reason.
        package var reason: String {
            "\(place.id) '\(place.property)': the file "
                + "\(AssetFileName.path(of: place.asset.digest)) \(problem.reason)"
        }
    }

    /// How many assets of different content are named, and how large they are together.
    package private(set) var assets = 0
    package private(set) var bytes: UInt64 = 0
    package private(set) var findings: [Finding] = []

    /// - Parameters:
    ///   - checkpoint: the newest of the store, if there is one.
    ///   - log: the store's log; what is behind its floor counts.
    ///   - isThorough: whether all of each file is read. Otherwise its length is looked at.
    package init(
        _ names: AssetNames, in checkpoint: CheckpointFile?, _ log: LogSnapshot,
        files folder: AssetFolder, isThorough: Bool
    ) throws(AssetNames.Failure) {
        guard !names.isEmpty else { return }
        var places: [AssetNames.Place] = []
        var seen: Set<AssetDigest> = []
        func note(_ mention: AssetMention) {
            guard seen.insert(mention.asset.digest).inserted else { return }
            places.append(AssetNames.Place(mention))
        }
        if let checkpoint {
            do throws(LogError) {
                try names.forEach(in: checkpoint, note)
            } catch {
                throw .log(error)
            }
        }
        try names.forEach(in: log, from: log.oldestSequence, note)
        for place in places { check(place, in: folder, isThorough) }
    }

    private mutating func check(
        _ place: AssetNames.Place, in folder: AssetFolder, _ isThorough: Bool
    ) {
        assets += 1
        bytes &+= place.asset.byteCount
        do throws(AssetProblem) {
            let file = try AssetFile(place.asset, in: folder)
            if isThorough { try file.verify() }
        } catch {
            findings.append(Finding(place: place, problem: error))
        }
    }
}
