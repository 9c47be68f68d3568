/// The place of a frame: a segment and an offset in it.
public struct FrameLocation: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The segment.
    public let segment: SegmentID
    /// The place in the segment.
    public let offset: FrameOffset

    /// A place in a segment.
    public init(segment: SegmentID, offset: FrameOffset) {
        self.segment = segment
        self.offset = offset
    }

    /// Whether the left one comes first in the log.
    public static func < (left: FrameLocation, right: FrameLocation) -> Bool {
        (left.segment, left.offset) < (right.segment, right.offset)
    }

    /// Segment and offset, in words.
    public var description: String { "segment \(segment), offset \(offset)" }
}
