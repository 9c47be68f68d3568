public import VarveEvents
public import VarveLog
internal import VarveText

/// An asset whose content is not what the log says: which one, who has it, and what is wrong.
public struct AssetFailure: Sendable, Equatable, CustomStringConvertible {
    /// What is wrong with the content.
    public enum Reason: Sendable, Equatable {
        /// There is no file of that digest: it was removed, or the asset is of another store.
        case missing
        /// The file has another length.
        case resized(found: UInt64)
        /// The file has other content.
        case changed(found: AssetDigest)
        /// The system refused to read the file.
        case unreadable(FileSystemError)
        /// The content is no value of the asset's type.
        case undecodable(CodecError)
    }

    /// The entity type that has the asset; nil where no entity of the newest state has it.
    public let type: String?
    /// The id of the first entity that has the asset.
    public let id: String?
    /// The property that it is in.
    public let property: String?
    /// The digest of the wanted content.
    public let digest: AssetDigest
    /// The file that should hold it, inside of the store's directory.
    public let file: String
    /// What is wrong.
    public let reason: Reason

    /// One line: entity, property, file and reason.
    public var description: String {
        let place = type.map { "\($0) \(id ?? "") '\(property ?? "")'" } ?? "an asset"
        return "\(place): the file \(file) \(detail)".escapedForDisplay
    }

    private var detail: String {
        switch reason {
        case .missing: "is missing"
        case .resized(let found): "has another length, \(ByteCount(found))"
        case .changed(let found): "has other content, of digest \(found)"
        case .unreadable(let error): "cannot be read: \(error)"
        case .undecodable(let error): "holds no value of that type: \(error)"
        }
    }

    /// What to do about it.
    var advice: String {
        switch reason {
        case .missing: "make the asset in this store again, or bring the file back from a backup"
        case .resized, .changed: "bring the file back from a backup, or make the asset again"
        case .unreadable: "see to the file, and try again"
        case .undecodable: "read the content as data"
        }
    }
}
