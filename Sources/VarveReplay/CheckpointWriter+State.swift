package import VarveEvents
package import VarveLog

extension CheckpointWriter {
    /// Appends all of a replayed state; answers the digest of its content.
    package func append(_ state: ReplayState) throws(LogError) -> UInt64 {
        do {
            let encoder = try CheckpointEncoder(state.checkpointSource) {
                part, bytes throws(LogError) in
                try self.append(part, bytes)
            }
            return try encoder.run()
        } catch CheckpointFailure<LogError>.sink(let error) {
            throw error
        } catch {
            // Rows of an older definition that cannot be brought to the newest.
            throw .checkpointDamaged(
                file: header.reference.file.text, reason: "it cannot be written: \(error)")
        }
    }

    /// Appends one page.
    package func append(
        _ part: CheckpointPart, _ bytes: UnsafeRawBufferPointer
    ) throws(LogError) {
        try append(
            CheckpointPageKey(
                kind: part.kind.code, subject: part.type.rawValue, part: part.relation.rawValue,
                first: part.first, count: part.count), bytes)
    }
}
