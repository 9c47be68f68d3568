import Synchronization

/// Why pages of an image cannot be read.
package enum PageDamage: Error, Hashable, Sendable {
    /// Where a part of an image is stored.
    package struct Place: Hashable, Sendable {
        package enum Part: Hashable, Sendable {
            /// By its number in its store.
            case block(UInt64)
            /// What says where the blocks of a chunk are.
            case directory(chunk: Int)
        }

        package let part: Part
        package let offset: UInt64
        package let byteCount: Int

        package init(_ part: Part, offset: UInt64, byteCount: Int) {
            self.part = part
            self.offset = offset
            self.byteCount = byteCount
        }
    }

    /// Reading failed. Another attempt may succeed.
    case unreadable(Place, reason: String)
    /// The image ends before the part does.
    case cut(Place, found: Int)
    case checksum(Place, expected: UInt32, found: UInt32)
    /// The checksum is right, but no writer writes such content: a program of another version wrote it, or a forger.
    case content(Place, reason: String)
    /// There are no addresses left for the block's chunk.
    case noMemory(Place)
    /// A page names one that there is none of, or two say what cannot both be.
    case contradiction

    /// Whether another attempt would come to the same.
    var isLasting: Bool {
        switch self {
        case .unreadable, .cut, .noMemory: false
        case .checksum, .content, .contradiction: true
        }
    }

    /// Where the part is; nil where it is not known which it is.
    package var place: Place? {
        switch self {
        case .unreadable(let place, _), .cut(let place, _), .checksum(let place, _, _),
            .content(let place, _):
            place
        case .noMemory, .contradiction: nil
        }
    }
}

/// What was found damaged among the pages of a store.
///
/// Reads of pages do not throw. Where one meets damage it reads zeros, which every structure takes as
/// empty, and the meeting is counted here. An operation compares the counts before and after.
package final class PageHealth: Sendable {
    private static let damagesMax = 64

    private let meetings = Atomic<Int>(0)
    private let found = Mutex<[PageDamage]>([])

    /// How often damage was met.
    package var meetingCount: Int { meetings.load(ordering: .acquiring) }

    /// What was met, each once, at most 64.
    package var damages: [PageDamage] { found.withLock { $0 } }

    func note(_ damage: PageDamage) {
        found.withLock { damages in
            if damages.contains(damage) { return }
            if damages.count == Self.damagesMax { damages.removeFirst() }
            damages.append(damage)
        }
        meetings.wrappingAdd(1, ordering: .releasing)
    }

    /// Throws where damage was met since there had been `count` meetings.
    ///
    /// A thread that met it in another operation meanwhile makes this one throw too: an error too many, never a
    /// wrong answer.
    package func check(since count: Int) throws(PageDamage) {
        guard meetingCount != count else { return }
        // A contradiction may be what follows from a block that could not be read.
        throw damages.last { $0.place != nil } ?? damages.last ?? .contradiction
    }
}
