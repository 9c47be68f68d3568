/// What was found where a segment's frames end.
package enum TailEnding: String, Hashable, Sendable, CaseIterable {
    /// The file ends at a frame's border.
    case complete
    /// Fewer bytes than a frame header has.
    case incompleteHeader
    /// Nothing but zeros to the end of the file.
    case zeros
    /// No more of them than a writer takes beforehand, from a frame's border to a multiple of 512.
    case unused
    /// Bytes that are no header written for this place.
    case damagedHeader
    /// An intact header of a frame that is longer than the rest of the file.
    case incompletePayload
    /// An intact header, and stored bytes or padding that do not fit it.
    case damagedPayload
    /// An intact header whose fields contradict the format or the frames before it.
    case invalidFrame
    /// An intact header of a kind that this version does not know.
    case unsupportedFrame
}

/// All that the decision about the end of a segment depends on.
package struct TailFacts: Hashable, Sendable {
    package var ending: TailEnding
    /// The segment has a valid footer: it was synced as a whole before the footer was written.
    package var isSealed: Bool
    /// The frames before the ending include a transaction without its last frame. Then the cut
    /// is at that transaction's first frame, otherwise at the ending.
    package var isInsideTransaction: Bool
    /// Some frame, before or behind the ending, promises bytes behind the cut.
    package var isPromisedBeyondCut: Bool
    /// The last whole frame before the cut is the seal of a closed log. A transaction that was begun
    /// behind it may stand behind the cut.
    package var endsWithCleanSeal: Bool

    package init(
        ending: TailEnding, isSealed: Bool, isInsideTransaction: Bool, isPromisedBeyondCut: Bool,
        endsWithCleanSeal: Bool
    ) {
        self.ending = ending
        self.isSealed = isSealed
        self.isInsideTransaction = isInsideTransaction
        self.isPromisedBeyondCut = isPromisedBeyondCut
        self.endsWithCleanSeal = endsWithCleanSeal
    }
}

package enum TailDecision: String, Hashable, Sendable, CaseIterable {
    /// A sealed segment that ends as its footer says.
    case acceptSealed
    /// Closed cleanly: the next writer appends behind the seal.
    case appendBehindSeal
    /// Not closed cleanly and nothing to drop: the next writer starts a new epoch.
    case startNewEpoch
    /// Nobody was promised what lies behind the cut: drop it, keep a copy, start a new epoch.
    case cutTail
    /// Promised bytes are gone or altered: change nothing.
    case refuseDamaged
    /// A newer version wrote this: change nothing.
    case refuseUnsupported

    /// Whether the log goes up to the cut.
    package var keepsFrames: Bool {
        switch self {
        case .acceptSealed, .appendBehindSeal, .startNewEpoch, .cutTail: true
        case .refuseDamaged, .refuseUnsupported: false
        }
    }
}

extension TailDecision {
    /// Decides from the facts alone. Exactly one rule of `TailRule.table` matches any facts; were
    /// there none, refusing is what loses nothing.
    package static func decide(_ facts: TailFacts) -> TailDecision {
        TailRule.table.first { $0.matches(facts) }?.decision ?? .refuseDamaged
    }
}

/// One row of the table in Docs/RECOVERY.md; nil stands for "either".
package struct TailRule: Sendable {
    package let label: String
    package let endings: [TailEnding]
    package var isSealed: Bool?
    package var isInsideTransaction: Bool?
    package var isPromisedBeyondCut: Bool?
    package var endsWithCleanSeal: Bool?
    package let decision: TailDecision
    /// No writer and no power cut produces these facts; the decision is for forged files.
    package var isImpossible = false

    package func matches(_ facts: TailFacts) -> Bool {
        endings.contains(facts.ending)
            && (isSealed ?? facts.isSealed) == facts.isSealed
            && (isInsideTransaction ?? facts.isInsideTransaction) == facts.isInsideTransaction
            && (isPromisedBeyondCut ?? facts.isPromisedBeyondCut) == facts.isPromisedBeyondCut
            && (endsWithCleanSeal ?? facts.endsWithCleanSeal) == facts.endsWithCleanSeal
    }

    /// What an interrupted write or an altered byte leaves.
    package static let damagedEndings: [TailEnding] = [
        .incompleteHeader, .zeros, .damagedHeader, .incompletePayload, .damagedPayload,
    ]
    /// Where the frames end, there is nothing more.
    package static let emptyEndings: [TailEnding] = [.complete, .unused]
}

extension TailRule {
    package static let table: [TailRule] = kindRules + sealedRules + activeRules + impossibleRules

    /// The checksum holds, so a writer wrote exactly this, whatever was promised.
    private static let kindRules = [
        TailRule(label: "K1", endings: [.unsupportedFrame], decision: .refuseUnsupported),
        TailRule(label: "K2", endings: [.invalidFrame], decision: .refuseDamaged),
    ]

    private static let sealedRules = [
        TailRule(
            label: "S1", endings: [.complete], isSealed: true, isInsideTransaction: false,
            isPromisedBeyondCut: false, decision: .acceptSealed),
        TailRule(
            label: "S2", endings: damagedEndings + [.unused], isSealed: true,
            decision: .refuseDamaged),
        TailRule(
            label: "S3", endings: [.complete], isSealed: true, isInsideTransaction: true,
            decision: .refuseDamaged),
    ]

    private static let activeRules = [
        TailRule(
            label: "A1", endings: emptyEndings, isSealed: false, isInsideTransaction: false,
            isPromisedBeyondCut: false, endsWithCleanSeal: true, decision: .appendBehindSeal),
        TailRule(
            label: "A2", endings: emptyEndings, isSealed: false, isInsideTransaction: false,
            isPromisedBeyondCut: false, endsWithCleanSeal: false, decision: .startNewEpoch),
        TailRule(
            label: "A3", endings: emptyEndings, isSealed: false, isInsideTransaction: true,
            isPromisedBeyondCut: false, decision: .cutTail),
        TailRule(
            label: "A4", endings: damagedEndings, isSealed: false, isInsideTransaction: false,
            isPromisedBeyondCut: false, decision: .cutTail),
        TailRule(
            label: "A5", endings: damagedEndings, isSealed: false, isInsideTransaction: true,
            isPromisedBeyondCut: false, decision: .cutTail),
        TailRule(
            label: "A6", endings: damagedEndings + [.unused], isSealed: false,
            isInsideTransaction: false, isPromisedBeyondCut: true, decision: .refuseDamaged),
        TailRule(
            label: "A7", endings: damagedEndings + [.unused], isSealed: false,
            isInsideTransaction: true, isPromisedBeyondCut: true, decision: .refuseDamaged),
    ]

    private static let impossibleRules = [
        // No frame promises bytes behind itself, so nothing promises behind the last frame; and
        // no promise grows inside a transaction.
        TailRule(
            label: "I1", endings: [.complete], isInsideTransaction: false,
            isPromisedBeyondCut: true, decision: .refuseDamaged, isImpossible: true),
        TailRule(
            label: "I2", endings: [.complete], isSealed: false, isInsideTransaction: true,
            isPromisedBeyondCut: true, decision: .refuseDamaged, isImpossible: true),
    ]
}
