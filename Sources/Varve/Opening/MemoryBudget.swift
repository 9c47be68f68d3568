public import VarveLog
internal import Foundation

/// How much memory a store may take for its entities.
///
/// Half of it is for filled tables, because reads of them are the fastest: an opening chooses those that fit. Entities and
/// index entries of other tables are read from the files when they are used, and evicted when others need the memory. A
/// query over all entities of such a table scans the files.
///
/// Entities of such tables that were changed stay in memory at first. When they take a quarter of the budget, the store reads
/// the log that they are in, on a thread of its own, and releases them; at twice as much, writes wait for that. What it has
/// read of the log, and memory has no room for, is in a file without a name, on the store's file system where that has such
/// files, which ends with the store. One operation that needs more memory gets it: ``StoreStatistics/memory`` says how much.
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
    /// An estimate of what the tables take, or will take when they are filled, that fit the budget.
    public let tables: ByteCount
    /// What is loaded of the other tables, in pages, and what making their newest state has read.
    public let pages: ByteCount
    /// An estimate of what is decoded from those pages: entities and lists that were read.
    public let entities: ByteCount
    /// An estimate of what changes of the other tables take, until they are released.
    public let changes: ByteCount
    /// What is kept in files without a name, because memory has no room for it. The space is the file system's as well.
    public let spilled: ByteCount
    /// An estimate of what changes take that cannot be released, and tables that do not fit the budget, and that an operation has filled nevertheless.
    public let exceeding: ByteCount
}
