/// The only place that knows how the files of a store are named.
package enum StoreFileName: Hashable, Sendable {
    case lock
    case manifest(generation: UInt64)
    case segment(SegmentID)
    /// The whole state behind one transaction.
    case checkpoint(number: UInt64)
    /// The directory of cut tails.
    case lost
    /// Reserved: the directory of large values.
    case assets
    /// A file that is not yet under its final name.
    indirect case temporary(StoreFileName)

    package var text: String {
        switch self {
        case .lock: "LOCK"
        case .manifest(let generation): "manifest-" + Self.padded(generation)
        case .segment(let segment): "segment-" + Self.padded(segment.rawValue)
        case .checkpoint(let number): "checkpoint-" + Self.padded(number)
        case .lost: "lost"
        case .assets: "assets"
        case .temporary(let name): name.text + Self.temporarySuffix
        }
    }

    /// Nil for every text that this type would not write itself, so that two texts never name the
    /// same thing.
    package init?(_ text: String) {
        if text.hasSuffix(Self.temporarySuffix) {
            let inner = String(text.dropLast(Self.temporarySuffix.count))
            guard let name = StoreFileName(inner), name.isNumbered else { return nil }
            self = .temporary(name)
            return
        }
        switch text {
        case "LOCK": self = .lock
        case "lost": self = .lost
        case "assets": self = .assets
        default:
            guard let name = Self.numbered(text), name.text == text else { return nil }
            self = name
        }
    }

    /// The name under which a cut tail is kept in `lost/`. The epoch makes it unique: one epoch
    /// writes each offset of a segment at most once.
    package static func lostTail(
        _ segment: SegmentID, epoch: UInt64, offset: FrameOffset
    ) -> String {
        "segment-\(padded(segment.rawValue))-epoch-\(epoch)-offset-\(offset)"
    }

    /// The segment that a tail was cut from; nil for a name that is no tail's.
    package static func segment(ofLostTail name: String) -> SegmentID? {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 6, let segment = UInt64(parts[1]), let epoch = UInt64(parts[3]),
            let offset = UInt64(parts[5]),
            name
                == lostTail(
                    SegmentID(segment), epoch: epoch, offset: FrameOffset(offset))
        else { return nil }
        return SegmentID(segment)
    }

    private static let temporarySuffix = ".tmp"

    private var isNumbered: Bool {
        switch self {
        case .manifest, .segment, .checkpoint: true
        case .lock, .lost, .assets, .temporary: false
        }
    }

    private static func numbered(_ text: String) -> StoreFileName? {
        guard let dash = text.firstIndex(of: "-"),
            let number = UInt64(text[text.index(after: dash)...]), number > 0
        else { return nil }
        switch text[..<dash] {
        case "manifest": return .manifest(generation: number)
        case "segment": return .segment(SegmentID(number))
        case "checkpoint": return .checkpoint(number: number)
        default: return nil
        }
    }

    private static func padded(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 10 - digits.count)) + digits
    }
}
