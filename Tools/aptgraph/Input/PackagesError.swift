/// Why a package index as a whole could not be read. Damage inside one stanza is a
/// ``StanzaProblem`` instead.
package enum PackagesError: Error, Hashable, Sendable {
    case missing(path: String)
    case notAFile(path: String)
    case unreadable(path: String, reason: String)
    /// The file is compressed in a way that this program does not read.
    case unsupportedCompression(path: String, format: String)
    /// The LZ4 frame is damaged; the offset counts compressed bytes from the file's start.
    case damagedFrame(path: String, offset: Int64, reason: String)
    /// The file ends inside an LZ4 frame.
    case truncatedFrame(path: String, offset: Int64)
    /// Neither package lists nor a dpkg status file are there.
    case noIndex(listsFolder: String, statusFile: String)
}

extension PackagesError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let path):
            "\(path): no such file"
        case .notAFile(let path):
            "\(path): not a regular file"
        case .unreadable(let path, let reason):
            "\(path): cannot be read: \(reason)"
        case .unsupportedCompression(let path, let format):
            "\(path): compressed with \(format); only plain text and lz4 are read, so unpack it"
        case .damagedFrame(let path, let offset, let reason):
            "\(path): damaged lz4 data at byte \(offset): \(reason)"
        case .truncatedFrame(let path, let offset):
            "\(path): the lz4 data is cut off at byte \(offset)"
        case .noIndex(let lists, let status):
            "no package index in \(lists) and no \(status); run 'apt-get update' or name a file"
        }
    }
}
