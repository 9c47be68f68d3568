import Foundation

/// One index file on this machine.
package struct PackagesFile: Hashable, Sendable {
    package enum Compression: Hashable, Sendable {
        case none, lz4
    }

    package var path: String
    package var compression: Compression
    package var byteCount: Int64

    /// What the index describes: `deb.debian.org/debian/dists/stable/main/binary-amd64` for a
    /// list of apt's, whose file names encode it, and else the file's name.
    package var archive: String {
        let name = (path as NSString).lastPathComponent
        for suffix in PackagesDiscovery.listSuffixes where name.hasSuffix(suffix) {
            let encoded = name.dropLast(suffix.count).replacingOccurrences(of: "_", with: "/")
            return encoded.removingPercentEncoding ?? encoded
        }
        return name
    }

    /// Looks at a file: its size, and its first bytes for how it is compressed.
    package init(path: String) throws(PackagesError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw .missing(path: path)
        }
        guard !isFolder.boolValue else { throw .notAFile(path: path) }
        let start: Data
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            start = try handle.read(upToCount: 8) ?? Data()
            byteCount = Int64(try handle.seekToEnd())
            try handle.close()
        } catch {
            throw .unreadable(path: path, reason: error.localizedDescription)
        }
        self.path = path
        compression = try Self.compression(of: Array(start), path: path)
    }

    private static func compression(
        of start: [UInt8], path: String
    ) throws(PackagesError) -> Compression {
        if start.starts(with: [0x04, 0x22, 0x4D, 0x18]) { return .lz4 }
        // A skippable frame, which may precede one with data.
        if start.dropFirst().starts(with: [0x2A, 0x4D, 0x18]), start[0] & 0xF0 == 0x50 {
            return .lz4
        }
        let foreign: [(magic: [UInt8], name: String)] = [
            ([0x1F, 0x8B], "gzip"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz"),
            ([0x28, 0xB5, 0x2F, 0xFD], "zstd"), ([0x42, 0x5A, 0x68], "bzip2"),
            ([0x02, 0x21, 0x4C, 0x18], "an old form of lz4"),
        ]
        for format in foreign where start.starts(with: format.magic) {
            throw .unsupportedCompression(path: path, format: format.name)
        }
        return .none
    }
}
