package import VarveLog
package import VarveTables

/// What a comparison of a checkpoint's indexes with its rows found.
package struct CheckpointIndexes: Sendable {
    /// How many indexes were compared.
    package let count: Int
    /// How many were not, because this program would make other keys: it does not use them.
    package let staleCount: Int
    /// The first problem of each index that has one.
    package let problems: [IndexProblem]
}

extension CheckpointFile {
    /// Compares all indexes of an image with its rows. Pages of entities have no indexes.
    ///
    /// It reads the rows of each type that has indexes, and those indexes. What it reads is released with the state.
    ///
    /// - Parameter keyBytesMax: how many bytes of keys may be in memory; see ``IndexVerification``.
    /// - Throws: `.checkpointDamaged` where a block that it reads is not what was written.
    package func compareIndexes(
        keyBytesMax: Int = IndexBuilding.usualKeyBytesMax
    ) throws(LogError) -> CheckpointIndexes {
        guard header.isImage else {
            return CheckpointIndexes(count: 0, staleCount: 0, problems: [])
        }
        let state = try openImage().state
        return try state.reading {
            $0
        } _: { () throws(LogError) in
            var verification = IndexVerification(state, keyBytesMax: keyBytesMax)
            var problems: [IndexProblem] = []
            while true {
                do throws(IndexProblem) {
                    if try !verification.advance() { break }
                } catch {
                    problems.append(error)
                }
            }
            return CheckpointIndexes(
                count: verification.count, staleCount: verification.staleCount,
                problems: problems)
        }
    }
}
