package import Foundation

/// A new directory that is removed with the last reference to it.
package final class TemporaryDirectory: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-\(UUID().uuidString).varve")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // What cannot be removed stays in the system's temporary folder, which the system clears.
        try? FileManager.default.removeItem(at: url)
    }
}
