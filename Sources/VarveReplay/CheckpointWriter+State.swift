package import VarveEvents
package import VarveLog
package import VarveTables

extension CheckpointWriter {
    /// Appends all of a state; returns the digest of its content.
    package func append(_ state: State) throws(LogError) -> UInt64 {
        func unwritable(_ error: CodecError) -> LogError {
            // Rows of an older definition that cannot be brought to the newest.
            .checkpointDamaged(
                file: header.reference.file.text, reason: "it cannot be written: \(error)")
        }
        var encoder = CheckpointEncoder(state.checkpointSource)
        while true {
            let part: CheckpointPart?
            do throws(CodecError) {
                part = try encoder.next()
            } catch {
                throw unwritable(error)
            }
            guard let part else { return encoder.contentDigest }
            try encoder.withPage { page throws(LogError) in try append(part, page) }
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
