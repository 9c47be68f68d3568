internal import VarveAssets
public import VarveLog
internal import VarveReplay

/// The backup of a store, without the types of the program that writes it.
public enum StoreBackup {
    /// Copies a store, beside its writer if there is one: through the newest transaction that the
    /// writer promised to be safe, or where no writer is open, through the last whole one.
    ///
    /// - Parameters:
    ///   - path: the store's directory.
    ///   - target: a directory that does not exist, or is empty. The backup appears there as a whole, read back and
    ///     verified, or not at all. It is a store with an identity of its own.
    public static func backUp(
        from path: String, to target: String
    ) throws(InspectionError) -> BackupReport {
        try InspectionError.wrapping { () throws(LogError) in
            try NewDirectory(target).make { directory throws(LogError) in
                let source = ReadObservation.fileSystem(at: path)
                var report = try LogBackup.run(from: source, to: directory)
                try report.addAssets(from: source, to: directory)
                let copied = try ScannedLog.scan(directory, mode: .readOnly)
                if let catalog = try copied.catalog() {
                    try report.completeAssets(of: copied, catalog, from: source, to: directory)
                }
                return report
            }
        }
    }
}
