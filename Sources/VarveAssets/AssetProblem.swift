package import VarveEvents
package import VarveLog

/// What is wrong with the file of an asset.
package enum AssetProblem: Error, Hashable, Sendable {
    /// There is no such file.
    case missing
    /// The file has another length.
    case resized(found: UInt64)
    /// The file has other content.
    case changed(found: AssetDigest)
    /// The system refused to read it.
    case unreadable(FileSystemError)

    /// As the end of a sentence whose subject is the file.
    package var reason: String {
        switch self {
        case .missing: "is missing"
        case .resized(let found): "has \(ByteCount(found))"
        case .changed(let found): "has other content, of digest \(found)"
        case .unreadable(let error): "cannot be read: \(error)"
        }
    }
}
