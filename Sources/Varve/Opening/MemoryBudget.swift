public import VarveLog
internal import Foundation

/// How much memory a store may take for what it reads of its files.
///
/// Half of it is for tables of entities that are filled, because then everything about them is found soonest: an opening
/// chooses those that fit. Of the others, entities and index entries are read when they are asked for, in blocks that make
/// room for one another. A query over all entities of such a table passes over its files.
///
/// Entities that were changed since the opening stay in memory, whatever the budget. One operation that needs more than there
/// is gets it: ``StoreStatistics/memory`` says how much.
public struct MemoryBudget: Hashable, Sendable {
    /// What the store may take.
    public let bytes: ByteCount

    /// So many bytes. However few they are, each operation gets what it needs.
    public static func bytes(_ count: ByteCount) -> MemoryBudget { MemoryBudget(bytes: count) }

    /// So many times 1,048,576 bytes.
    public static func megabytes(_ count: Int) -> MemoryBudget {
        precondition(count >= 0, "a budget is not negative")
        return MemoryBudget(bytes: .mebibytes(UInt64(count)))
    }

    /// A quarter of the machine's memory, or of what the process's control group may take where that is less.
    public static let standard = MemoryBudget(bytes: ByteCount(machineBytes / 4))

    private static var machineBytes: UInt64 {
        let machine = ProcessInfo.processInfo.physicalMemory
        // Of version 2 of control groups, as a container sees its own; the word "max" where there is no limit.
        let text = try? String(contentsOfFile: "/sys/fs/cgroup/memory.max", encoding: .utf8)
        let group = text.flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        return min(machine, group ?? machine)
    }
}

/// What the memory of a store is taken for.
public struct MemoryStatistics: Hashable, Sendable {
    /// What the store may take; see ``MemoryBudget``.
    public let budget: ByteCount
    /// An estimate of what the tables take, or will, that are filled because they fit the budget.
    public let tables: ByteCount
    /// What is loaded of the other tables, in blocks that make room for one another.
    public let pages: ByteCount
    /// An estimate of what is made of those for entities and lists that were read.
    public let entities: ByteCount
    /// An estimate of what tables take that do not fit the budget, and that an operation needed whole nevertheless.
    public let exceeding: ByteCount
}
