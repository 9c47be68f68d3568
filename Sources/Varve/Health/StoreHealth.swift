public import Foundation
public import VarveLog

/// What a store knows of damage to its files.
///
/// A store finds damage when it is opened, or in the background behind that where its checkpoint is large, when it reads
/// a checkpoint for the past or for a compaction, and when it compares its files with their checksums; see
/// ``Store/checkFiles()``.
public struct StoreHealth: Sendable, Hashable {
    /// What was found, the oldest first, each place once; of very many the newest.
    public internal(set) var damages: [Damage] = []
    /// When all sealed segments and checkpoints were last compared with their checksums; nil where that was not yet done
    /// since the store was opened.
    public internal(set) var lastCheck: Date?

    /// Whether no damage is known, or all of it was in files that are not needed any more.
    public var isSound: Bool { damages.allSatisfy { $0.repair == .replaced } }

    /// A place in a file that is not what was written, or cannot be read.
    public struct Damage: Sendable, Hashable {
        /// The file's name inside the store.
        public let file: String
        /// Where in the file it is, as far as that is known.
        public let offset: FrameOffset?
        /// What is wrong there, for people.
        public let reason: String
        /// What the store did about it.
        public internal(set) var repair: Repair
    }

    /// What a store did about damage.
    public enum Repair: Sendable, Hashable {
        /// Nothing. What needs the place throws a typed error; entities that are in memory do not need it, but a type whose
        /// entities are still to be read from there ends the process when it is read (``Store/Loading``); writes throw the
        /// error once that was tried ahead of a read. Make a backup, or export the store, as long as it is open.
        case none
        /// What was in the file was made again of others: of the named checkpoint and the log behind it; where none is
        /// named, of the log, or of the newest state. The next compaction replaces the file.
        case rebuilt(from: String?)
        /// A compaction has replaced or removed the file.
        case replaced
    }
}

extension StoreHealth.Damage: CustomStringConvertible {
    /// One line: the place, what is wrong, and what was done.
    public var description: String {
        let done =
            switch repair {
            case .none: "nothing could be done about it"
            case .rebuilt(let file?): "made again from \(file) and the log behind it"
            case .rebuilt(nil): "made again from other files"
            case .replaced: "the file was replaced"
            }
        return "\(file): \(reason); \(done)"
    }
}
