import Foundation

/// Finds what this machine knows about packages.
package struct PackagesDiscovery: Hashable, Sendable {
    static let listSuffixes = ["_Packages", "_Packages.lz4"]

    /// The index files, ordered by path.
    package private(set) var files: [PackagesFile]
    /// Package lists that are compressed in a way that is not read, by path.
    package private(set) var unsupportedPaths: [String]

    /// The lists that apt downloaded, or dpkg's status file where there are none.
    ///
    /// - Throws: ``PackagesError/noIndex(listsFolder:statusFile:)`` where neither is there, and
    ///   what reading the files brings up.
    package init(
        listsFolder: String = "/var/lib/apt/lists", statusFile: String = "/var/lib/dpkg/status"
    ) throws(PackagesError) {
        files = []
        unsupportedPaths = []
        for path in try Self.listPaths(in: listsFolder) { try add(path) }
        if files.isEmpty, FileManager.default.fileExists(atPath: statusFile) {
            files = [try PackagesFile(path: statusFile)]
        }
        guard !files.isEmpty else {
            throw .noIndex(listsFolder: listsFolder, statusFile: statusFile)
        }
    }

    private mutating func add(_ path: String) throws(PackagesError) {
        do throws(PackagesError) {
            files.append(try PackagesFile(path: path))
        } catch .unsupportedCompression(let path, _) {
            unsupportedPaths.append(path)
        }
    }

    private static func listPaths(in folder: String) throws(PackagesError) -> [String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw .unreadable(path: folder, reason: error.localizedDescription)
        }
        let plain = Set(names.filter { $0.hasSuffix("_Packages") })
        return names.sorted().filter { name in
            guard let marker = name.range(of: "_Packages", options: .backwards) else {
                return false
            }
            let suffix = name[marker.upperBound...]
            // apt keeps one form of a list; where two are there, the plain one stands for both.
            return suffix.isEmpty
                || suffix.hasPrefix(".") && !plain.contains(String(name[..<marker.upperBound]))
        }.map { folder + "/" + $0 }
    }
}
