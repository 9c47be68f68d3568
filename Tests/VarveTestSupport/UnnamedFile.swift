import Foundation
internal import VarveLog

/// Real files without a name, for memory that does not fit.
package enum UnnamedFile {
    private static let folder = POSIXFileSystem(FileManager.default.temporaryDirectory.path)

    /// A descriptor, which the caller closes.
    package static func open() -> Int32? { folder.openUnnamedFile() }
}

extension SimulatedDisk {
    /// No power cut leaves anything of it, so it need not be simulated.
    package func openUnnamedFile() -> Int32? { UnnamedFile.open() }
}
