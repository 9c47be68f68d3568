package import VarveLog

/// A file system one of whose directories cannot be listed, as on a bad sector.
package final class UnlistableFileSystem: ForwardingFileSystem {
    package let base: any FileSystem
    private let unlistable: String
    private let isUnlistable: Bool

    /// - Parameter name: the directory inside of it.
    package convenience init(_ base: any FileSystem, inside name: String) {
        self.init(base, name, isUnlistable: false)
    }

    private init(_ base: any FileSystem, _ unlistable: String, isUnlistable: Bool) {
        self.base = base
        self.unlistable = unlistable
        self.isUnlistable = isUnlistable
    }

    package func list() throws(FileSystemError) -> [String]? {
        guard !isUnlistable else {
            throw FileSystemError(.list, file: displayPath, reason: .system(code: 5))
        }
        return try base.list()
    }

    package func open(
        _ name: String, _ mode: FileOpenMode
    ) throws(FileSystemError) -> any StoreFile { try base.open(name, mode) }

    package func subdirectory(_ name: String) -> any FileSystem {
        UnlistableFileSystem(
            base.subdirectory(name), unlistable, isUnlistable: name == unlistable)
    }
}
