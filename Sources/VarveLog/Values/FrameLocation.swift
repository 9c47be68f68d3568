/// The place of a frame: a segment and an offset in it.
public struct FrameLocation: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let segment: SegmentID
    public let offset: FrameOffset

    public init(segment: SegmentID, offset: FrameOffset) {
        self.segment = segment
        self.offset = offset
    }

    public static func < (left: FrameLocation, right: FrameLocation) -> Bool {
        (left.segment, left.offset) < (right.segment, right.offset)
    }

    public var description: String { "segment \(segment), offset \(offset)" }
}
