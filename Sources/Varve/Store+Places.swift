public import Foundation
internal import VarveLog

extension Store {
    // MARK: - Places

    /// Where the platform keeps the data of an app: a directory of the app's own, and in it one for the store.
    ///
    /// On Linux that is `$XDG_DATA_HOME/APPLICATION/NAME.varve`, or `~/.local/share/APPLICATION/NAME.varve`; on Apple
    /// platforms it is below Application Support. Nothing is made: open the store with `createsParents: true`.
    ///
    /// - Parameters:
    ///   - name: the name of the store, without an extension.
    ///   - application: the name of the app's directory; nil is the bundle's identifier or, without a bundle, the name
    ///     of the program.
    /// - Precondition: neither name is empty, begins with a dot or has a slash.
    public static func defaultLocation(named name: String, of application: String? = nil) -> URL {
        let application =
            application ?? Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return DataDirectory.url
            .appendingPathComponent(DataDirectory.component(application), isDirectory: true)
            .appendingPathComponent(DataDirectory.component(name) + ".varve", isDirectory: true)
    }

    /// Makes the directories above a store, from the top, each safe from a power cut before the next.
    static func createParents(of url: URL) throws(StoreError) {
        var missing: [URL] = []
        var parent = url.standardizedFileURL.deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: parent.path), parent.path != "/" {
            missing.append(parent)
            parent.deleteLastPathComponent()
        }
        for directory in missing.reversed() {
            do throws(FileSystemError) {
                try POSIXFileSystem(directory.path).createDirectory()
            } catch {
                throw .log(.fileSystem(error))
            }
        }
    }
}

/// Where the platform keeps the data of apps.
enum DataDirectory {
    static var url: URL {
        #if os(Linux)
            linux(
                ProcessInfo.processInfo.environment,
                home: FileManager.default.homeDirectoryForCurrentUser)
        #else
            URL.applicationSupportDirectory
        #endif
    }

    /// As the XDG base directory specification says, which has relative paths ignored.
    static func linux(_ environment: [String: String], home: URL) -> URL {
        if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        return home.appendingPathComponent(".local/share", isDirectory: true)
    }

    /// A name that is one component of a path.
    static func component(_ name: String) -> String {
        precondition(
            !name.isEmpty && !name.hasPrefix(".") && !name.contains("/"),
            "'\(name)' cannot name a store or its app: use letters, digits, spaces and hyphens")
        return name
    }
}
