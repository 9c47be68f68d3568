internal import Foundation
internal import Synchronization
internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveTables

/// What is known of the values in a stored index.
enum DistinctValues: Hashable {
    /// How often it was asked whether they are distinct.
    case asked(Int)
    /// A thread reads the index.
    case sought
    case known(Bool)
}

// A row that keeps its value in a unique index is saved most often. If all stored values are distinct, no other row has to be
// looked for. That is not worth reading an index for a few rows.
extension StoredTable {
    func hasDistinctValues(ofIndex index: Int) -> Bool {
        let (answer, isToSeek) = distinctValues.withLock { known in
            switch known[index] ?? .asked(0) {
            case .known(let isDistinct): return (isDistinct, false)
            case .sought: return (false, false)
            case .asked(let count):
                let isEnough = count >= Self.askedMin(ofSlots: slotCount)
                known[index] = isEnough ? .sought : .asked(count + 1)
                return (false, isEnough)
            }
        }
        if isToSeek {
            // Beside the write that asks, which does not wait. It ends with the table.
            DispatchQueue.global(qos: .utility).async { [weak self] in
                var last: [UInt8] = []
                while self?.seekDistinctValues(ofIndex: index, behind: &last) == true {}
            }
        }
        return answer
    }

    /// Reading an index takes as long as so many look-ups, more or less.
    private static func askedMin(ofSlots count: Int) -> Int { 16 + count / 128 }

    private static let keysPerStep = 4_096

    /// Reads some of the index. Where it cannot be read, nothing is known: what reads it for the app finds other files.
    ///
    /// - Parameter last: the entry that was read last.
    /// - Returns: false when all is read, or two values are the same.
    func seekDistinctValues(ofIndex index: Int, behind last: inout [UInt8]) -> Bool {
        var isDistinct = false
        if let declaration = storedIndex(index)?.declaration, let content = currentContent() {
            let meetings = content.health?.meetingCount
            let compared = content.value.state.compareKeys(
                of: content.type, by: declaration, behind: &last, count: Self.keysPerStep)
            let isSound = content.health?.meetingCount == meetings
            if isSound, compared == .goesOn { return true }
            isDistinct = isSound && compared == .distinct
        }
        distinctValues.withLock { $0[index] = .known(isDistinct) }
        return false
    }
}
