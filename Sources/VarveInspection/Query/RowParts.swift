internal import Foundation
internal import VarveLog
internal import VarveTables

/// The rows of a type, cut into parts that threads scan side by side.
///
/// How they are cut depends on the store alone, and not on the machine.
struct RowParts: Sendable {
    /// How many leaves of rows a part has at least.
    static let leavesMin = 2_048
    private static let partCountMax = 16

    /// In the order in which they are stored.
    private let leaves: [StoredLeaf]
    private let partCount: Int

    init(_ leaves: [StoredLeaf], leavesMin: Int) {
        self.leaves = leaves
        partCount = min(Self.partCountMax, leaves.count / leavesMin + 1)
    }

    private func leaves(ofPart part: Int) -> ArraySlice<StoredLeaf> {
        leaves[leaves.count * part / partCount..<leaves.count * (part + 1) / partCount]
    }

    /// What `body` returns for each part, in their order. It is called on all cores.
    func map<Result: Sendable>(
        _ body: @Sendable (ArraySlice<StoredLeaf>) throws(InspectionError) -> Result
    ) throws(InspectionError) -> [Result] {
        guard partCount > 1 else { return [try body(leaves[...])] }
        let next = Lock(0)
        let outcomes = Lock<[Int: Swift.Result<Result, InspectionError>]>([:])
        let cores = ProcessInfo.processInfo.activeProcessorCount
        DispatchQueue.concurrentPerform(iterations: min(partCount, max(1, cores))) { _ in
            while let part = next.withLock({ takePart(&$0) }) {
                let outcome = Self.outcome { () throws(InspectionError) in
                    try body(leaves(ofPart: part))
                }
                outcomes.withLock { $0[part] = outcome }
                // Nothing more is begun behind a failure.
                if case .failure = outcome { next.withLock { $0 = partCount } }
            }
        }
        var results: [Result] = []
        for (_, outcome) in outcomes.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            results.append(try outcome.get())
        }
        return results
    }

    private func takePart(_ next: inout Int) -> Int? {
        guard next < partCount else { return nil }
        defer { next += 1 }
        return next
    }

    private static func outcome<Result>(
        _ body: () throws(InspectionError) -> Result
    ) -> Swift.Result<Result, InspectionError> {
        do throws(InspectionError) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }
}
