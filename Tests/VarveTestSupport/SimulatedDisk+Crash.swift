import VarveLog

/// A moment at which the power goes: `operations[..<position]` had been asked of the disk.
package struct CrashPoint: Sendable {
    package let position: Int
    /// Positions of the changes before it that no sync covers: each may have reached the disk,
    /// partly or not at all.
    package let pending: [Int]

    package init(position: Int, pending: [Int]) {
        self.position = position
        self.pending = pending
    }
}

/// How much of one pending change reached the disk.
package enum Survival: Hashable, Sendable {
    case absent
    case whole
    /// Of a write: its first bytes, the file being no longer than them.
    case prefix(Int)
    /// Of a write: all but its first bytes, which read as zeros.
    case suffix(Int)
    /// Of a write: all but one sector, which reads as zeros.
    case withoutSector(Int)
    /// Of a write: the length it gave the file, its bytes being zeros.
    case lengthOnly
    /// Of a write: the length it gave the file, and something else in its place.
    case garbage
}

extension SimulatedDisk {
    package static let sectorBytes = 512

    package func crashPoint(at position: Int) -> CrashPoint {
        CrashPoint(position: position, pending: Self.pending(operations, before: position))
    }

    /// The changes before `position` that no sync among `operations` covers.
    package static func pending(_ operations: [DiskOperation], before position: Int) -> [Int] {
        var synced: Set<DiskOperation.Subject> = []
        var pending: [Int] = []
        for index in (0..<position).reversed() {
            let operation = operations[index]
            if operation.isSync {
                synced.insert(operation.subject)
            } else if case .synchronizeAndFail = operation {
                synced.remove(operation.subject)
            } else if operation.isChange, !synced.contains(operation.subject) {
                pending.append(index)
            }
        }
        return pending.reversed()
    }

    /// The disk after the power came back. `survivals` speaks of the point's pending changes, in
    /// their order; everything else is there.
    package func image(at point: CrashPoint, _ survivals: [Survival]) -> DiskImage {
        precondition(
            survivals.count == point.pending.count, "every pending change has its fate")
        var fates: [Int: Survival] = [:]
        for (index, survival) in zip(point.pending, survivals) { fates[index] = survival }
        let (operations, start) = state.withLock { ($0.operations, $0.atStart) }
        var disk = start
        for index in 0..<point.position where operations[index].isChange {
            disk.apply(operations[index], fates[index] ?? .whole)
        }
        return disk.image
    }

    /// Fates of the pending changes: every subset of them when there are few, a telling choice
    /// otherwise; and, for each write, every way of tearing it with the others absent and present.
    package func survivals(
        at point: CrashPoint, using generator: inout SeededGenerator
    ) -> [[Survival]] {
        Self.survivals(at: point, of: operations, using: &generator)
    }

    /// As above, of a sequence of operations.
    package static func survivals(
        at point: CrashPoint, of operations: [DiskOperation],
        using generator: inout SeededGenerator
    ) -> [[Survival]] {
        let count = point.pending.count
        var choices = subsets(count, using: &generator).map { present in
            present.map { $0 ? Survival.whole : .absent }
        }
        for (position, index) in point.pending.enumerated() {
            for tear in operations[index].tears {
                for others in [Survival.absent, .whole] {
                    var fates = Array(repeating: others, count: count)
                    fates[position] = tear
                    choices.append(fates)
                    // What came before the torn write is there, what came after is not.
                    for later in (position + 1)..<max(count, position + 1) {
                        fates[later] = .absent
                    }
                    choices.append(fates)
                }
            }
        }
        return choices
    }

    private static func subsets(_ count: Int, using generator: inout SeededGenerator) -> [[Bool]] {
        if count <= 10 {
            return (0..<(1 << count)).map { bits in (0..<count).map { bits >> $0 & 1 == 1 } }
        }
        var choices = (0...count).map { length in (0..<count).map { $0 < length } }
        choices += (0..<count).map { only in (0..<count).map { $0 == only } }
        choices += (0..<count).map { missing in (0..<count).map { $0 != missing } }
        for first in 0..<count {
            for second in (first + 1)..<max(count, first + 1) {
                choices.append((0..<count).map { $0 == first || $0 == second })
            }
        }
        choices += (0..<64).map { _ in (0..<count).map { _ in Bool.random(using: &generator) } }
        return choices
    }
}

extension DiskOperation {
    /// The ways in which this change can be half done.
    fileprivate var tears: [Survival] {
        guard case .write(_, let offset, let bytes) = self else { return [] }
        var tears: [Survival] = [.lengthOnly, .garbage, .prefix(1), .prefix(bytes.count / 2)]
        tears += [.prefix(bytes.count - 1), .suffix(1), .suffix(bytes.count / 2)]
        let sectors = (offset / SimulatedDisk.sectorBytes)
        let lastSector = (offset + bytes.count - 1) / SimulatedDisk.sectorBytes
        if lastSector - sectors < 24 {
            tears += (sectors...lastSector).map { .withoutSector($0) }
            let borders = (sectors + 1)..<(lastSector + 1)
            tears += borders.map { .prefix($0 * SimulatedDisk.sectorBytes - offset) }
        }
        return tears
    }
}

extension SimulatedDiskState {
    /// Applies what is left of a change. Where a write did not reach the disk, the bytes from
    /// before are still there; where it lengthened the file, zeros or garbage.
    mutating func apply(_ operation: DiskOperation, _ survival: Survival) {
        guard case .write(let file, let offset, let bytes) = operation, survival != .whole else {
            if survival != .absent { apply(operation) }
            return
        }
        let old = content[file, default: []]
        var kept = bytes
        for position in bytes.indices where !survival.holds(position, of: bytes.count, at: offset) {
            kept[position] =
                offset + position < old.count
                ? old[offset + position] : survival.filler(at: position)
        }
        switch survival {
        case .absent: return
        case .prefix(let count): kept = Array(kept.prefix(count))
        default: break
        }
        apply(.write(file, offset, kept))
    }
}

extension Survival {
    /// The byte of a write at `position` reached the disk.
    fileprivate func holds(_ position: Int, of count: Int, at offset: Int) -> Bool {
        switch self {
        case .whole: true
        case .absent, .lengthOnly, .garbage: false
        case .prefix(let length): position < length
        case .suffix(let length): position >= count - length
        case .withoutSector(let sector):
            (offset + position) / SimulatedDisk.sectorBytes != sector
        }
    }

    fileprivate func filler(at position: Int) -> UInt8 {
        self == .garbage ? UInt8(truncatingIfNeeded: position &* 167 &+ 13) : 0
    }
}

extension Survival: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String {
        switch self {
        case .absent: "absent"
        case .whole: "whole"
        case .prefix(let count): "prefix(\(count))"
        case .suffix(let count): "suffix(\(count))"
        case .withoutSector(let sector): "withoutSector(\(sector))"
        case .lengthOnly: "lengthOnly"
        case .garbage: "garbage"
        }
    }

    package var debugDescription: String { description }
}
