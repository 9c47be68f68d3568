internal import VarveEvents
internal import VarveLog

extension CheckpointFile {
    /// Reads the state in the checkpoint.
    ///
    /// Errors: `.checkpointDamaged` for content that cannot be.
    func loadState() throws(LogError) -> ReplayState {
        let reader = try makeReader()
        do throws(CheckpointReadFailure<LogError>) {
            let loader = try CheckpointLoader(parts, rawBytes: rawBytes) {
                page throws(LogError) in
                PageBytes(try reader.read(pages[page]))
            }
            for unit in 0..<loader.unitCount {
                try loader.perform(unit) { page throws(LogError) in
                    PageBytes(try reader.read(pages[page]))
                }
            }
            return loader.finish()
        } catch {
            throw self.error(error)
        }
    }

    /// Reads all pages and compares their content with its digest.
    func verifyContent() throws(LogError) {
        let reader = try makeReader()
        do throws(CheckpointReadFailure<LogError>) {
            try CheckpointVerifier.verify(parts, rawBytes: rawBytes, digest: contentDigest) {
                page throws(LogError) in
                PageBytes(try reader.read(pages[page]))
            }
        } catch {
            throw self.error(error)
        }
    }

    private var parts: [CheckpointPart] {
        pages.map { page in
            CheckpointPart(
                code: page.key.kind, type: page.key.subject, relation: page.key.part,
                first: page.key.first, count: page.key.count)
        }
    }

    private var rawBytes: [UInt64] { pages.map(\.rawBytes.rawValue) }

    private func error(_ failure: CheckpointReadFailure<LogError>) -> LogError {
        switch failure {
        case .reading(let error): error
        case .content(let error):
            .checkpointDamaged(file: reference.file.text, reason: "\(error)")
        }
    }
}

extension CheckpointWriter {
    func append(_ part: CheckpointPart, _ bytes: UnsafeRawBufferPointer) throws(LogError) {
        try append(
            CheckpointPageKey(
                kind: part.kind.code, subject: part.type.rawValue, part: part.relation.rawValue,
                first: part.first, count: part.count), bytes)
    }
}
