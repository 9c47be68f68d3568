/// What stands behind a segment.
package enum SuccessorState: String, Hashable, Sendable, CaseIterable {
    case absent
    /// A header and nothing behind it.
    case empty
    /// Bytes behind its header.
    case filled
}

/// How far the change from one segment to the next came. The order is: the successor's header,
/// synced and named; then the footer, synced; then the first frame of the successor.
package enum RollDecision: String, Hashable, Sendable, CaseIterable {
    /// The last segment: frames are appended here.
    case active
    /// Sealed; the log goes on in the successor.
    case sealed
    /// The writer stopped before the footer: the segment is still the active one, and its
    /// successor will be made anew.
    case activeBeforeInterruptedRoll
    /// A footer is written only when a successor is there: it was lost.
    case refuseSuccessorMissing
    /// Frames are appended to a successor only behind a synced footer: the footer was lost.
    case refuseUnsealed

    package static func decide(hasFooter: Bool, successor: SuccessorState) -> RollDecision {
        switch (hasFooter, successor) {
        case (false, .absent): .active
        case (false, .empty): .activeBeforeInterruptedRoll
        case (false, .filled): .refuseUnsealed
        case (true, .absent): .refuseSuccessorMissing
        case (true, .empty), (true, .filled): .sealed
        }
    }
}
