public import Foundation
internal import VarveAssets
public import VarveLog
internal import VarveReplay

extension Store {
    /// Brings every undamaged transaction of a damaged store into a new one, and says exactly what
    /// is lost. The damaged store is only read, whatever happens.
    ///
    /// It takes no types: entities of all types are taken as they are. Transactions keep their
    /// numbers, times and labels; empty ones take the numbers of those that are lost between others. The new
    /// store has an identity of its own. All of its state is in memory meanwhile.
    ///
    /// - Parameters:
    ///   - damaged: the directory of the damaged store. No program may have it open for writing.
    ///   - url: a directory that does not exist, or is empty. The new store appears there as a whole,
    ///     read back and verified, or not at all.
    /// - Throws: ``StoreError``, also when there is nothing to be salvaged.
    @discardableResult
    public static func salvage(from damaged: URL, to url: URL) throws -> SalvageReport {
        try StoreError.wrapping { () throws(LogError) in
            try NewDirectory(url.path).make { directory throws(LogError) in
                let source = POSIXFileSystem(damaged.path)
                var report = try LogSalvage.run(
                    from: source, to: directory, content: .replaying())
                try report.addAssets(from: source, to: directory)
                return report
            }
        }
    }
}
