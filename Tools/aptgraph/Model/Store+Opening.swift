import Foundation
import Varve

extension Store {
    /// Opens a store of packages that is there already.
    ///
    /// Opening for writing creates what is missing, which only an import may ask for.
    static func existing(at path: String, mode: Mode) throws -> Store {
        if mode == .readWrite, isAbsent(path) { throw LogError.missing(directory: path) }
        // A command reads what it shows, and ends.
        return try Store(
            at: URL(fileURLWithPath: path), mode: mode, durability: .commit, loading: .whenRead,
            Package.self)
    }

    /// Opens a store of packages for an import, or creates it.
    ///
    /// Nothing is durable before ``flush()``: an import that a power cut ends is done again. It ends with a compaction, so
    /// that none is wanted on the way.
    static func forImport(at path: String) throws -> Store {
        try Store(
            at: URL(fileURLWithPath: path), durability: .none, compactsAutomatically: false,
            Package.self)
    }

    /// Whether nothing, or nothing but an empty directory, is there.
    static func isAbsent(_ path: String) -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return true }
        // A directory that cannot be listed is for the store to refuse, with the reason.
        return (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty ?? false
    }

    /// What opening found broken off at the end of the log, where there was something.
    var recoveryNotice: String? {
        recovery.dropped == nil ? nil : "\(recovery)"
    }
}
