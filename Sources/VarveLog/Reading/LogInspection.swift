/// A store's files as they are, read-only and without a lock: for tools.
package struct LogInspection {
    package let manifest: Manifest
    package let segments: [SegmentSummary]
    package init(_ fileSystem: any FileSystem, configuration: LogConfiguration = LogConfiguration()) throws(LogError) { preconditionFailure() }
    /// Walks the frames of a segment, headers only, until its end, its first unreadable frame, or `body` returns false.
    package func forEachFrame<Failure: Error>(in segment: SegmentID, _ body: (FrameSummary) throws(Failure) -> Bool) throws(ReplayFailure<Failure>) {}
}
package struct SegmentSummary: Sendable {
    package let id: SegmentID
    package let fileLength: ByteCount
    package let header: SegmentHeader
    /// Nil when the segment is not sealed.
    package let footer: SegmentFooter?
}
package struct FrameSummary: Sendable {
    package let location: FrameLocation
    package let header: FrameHeader
    package var type: FrameType { header.type }
    package var flags: FrameFlags { header.flags }
    package var storedBytes: ByteCount { ByteCount(UInt64(header.storedLength)) }
    package var rawBytes: ByteCount { ByteCount(UInt64(header.rawLength)) }
    package var sequence: LogSequence { header.sequence }
    package var durableEnd: FrameOffset { header.durableEnd }
}
/// Everything that can be checked about a store, as a value.
package struct LogVerification: Sendable {
    package var problems: [LogError] = []
    package var segments = 0
    package var frames: UInt64 = 0
    package var transactions: UInt64 = 0
    package var storedBytes = ByteCount.zero
    package var rawBytes = ByteCount.zero
    /// An unpromised end that the next writer will cut: no damage.
    package var unpromisedTail: RecoveryReport.DroppedTail?
    package var isSound: Bool { problems.isEmpty }
    /// Reads every byte. Throws only when there is nothing to verify (no store, no permission).
    package static func verify(_ fileSystem: any FileSystem, configuration: LogConfiguration = LogConfiguration()) throws(LogError) -> LogVerification { preconditionFailure() }
}
