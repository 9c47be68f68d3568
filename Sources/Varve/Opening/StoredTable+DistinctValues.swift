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
            // Beside the write that asks, which does not wait.
            DispatchQueue.global(qos: .utility).async { [weak self] in
                self?.seekDistinctValues(ofIndex: index)
            }
        }
        return answer
    }

    /// Reading an index takes as long as so many look-ups, more or less.
    private static func askedMin(ofSlots count: Int) -> Int { 16 + count / 128 }

    /// Reads the index. Where it cannot be read, nothing is known.
    func seekDistinctValues(ofIndex index: Int) {
        var isDistinct = false
        if let declaration = storedIndex(index)?.declaration {
            isDistinct =
                reading(tryingAgain: false, isCounted: false) { content in
                    content.value.state.hasDistinctKeys(of: content.type, by: declaration)
                } ?? false
        }
        distinctValues.withLock { $0[index] = .known(isDistinct) }
    }
}
