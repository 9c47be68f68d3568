internal import VarveAssets
public import VarveLog
internal import VarveReplay

/// The rescue of what a damaged store still holds, without the types of the program that wrote it.
public enum StoreSalvage {
    /// Brings every undamaged transaction of the store at `path` into a new store, and says what is
    /// lost. The damaged store is only read.
    ///
    /// - Parameters:
    ///   - path: the damaged store's directory.
    ///   - target: a directory that does not exist, or is empty. The new store appears there as a whole, read back and
    ///     verified, or not at all.
    public static func salvage(
        from path: String, to target: String
    ) throws(InspectionError) -> SalvageReport {
        try InspectionError.wrapping { () throws(LogError) in
            try NewDirectory(target).make { directory throws(LogError) in
                let source = ReadObservation.fileSystem(at: path)
                var report = try LogSalvage.run(from: source, to: directory, content: .replaying())
                try report.addAssets(from: source, to: directory)
                return report
            }
        }
    }

    package static func salvage(
        from source: any FileSystem, to target: any FileSystem,
        environment: any LogEnvironment = SystemEnvironment(),
        configuration: LogConfiguration = LogConfiguration()
    ) throws(LogError) -> SalvageReport {
        try LogSalvage.run(
            from: source, to: target, environment: environment, configuration: configuration,
            content: .replaying())
    }
}
