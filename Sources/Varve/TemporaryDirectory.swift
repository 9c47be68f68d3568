package import Foundation
internal import VarveLog

/// A new directory that is removed with the last reference to it.
package final class TemporaryDirectory: Sendable {
    package let url: URL

    /// Makes one that its owner alone can read, in a directory that is there.
    package init(
        in parent: URL = FileManager.default.temporaryDirectory
    ) throws(StoreError) {
        let url = parent.appendingPathComponent("varve-\(UUID().uuidString).varve")
        self.url = url
        try StoreError.wrapping { () throws(LogError) in
            try LogError.wrapping { () throws(FileSystemError) in
                try POSIXFileSystem(url.path).createDirectory()
            }
        }
    }

    deinit {
        // What cannot be removed stays in the system's temporary folder, which the system clears.
        try? FileManager.default.removeItem(at: url)
    }
}
