package import VarveEvents
package import VarveLog
internal import VarveTables

extension CheckpointFile {
    /// Reads all pages and compares their content with its digest.
    package func verifyContent() throws(LogError) {
        var verification = try beginVerification()
        while try verification.advance() {}
    }

    /// Reads the first pages, or the root of an image; ``CheckpointVerification/advance()`` does the rest.
    package func beginVerification() throws(LogError) -> CheckpointVerification {
        if header.isImage { return try CheckpointVerification(of: CheckpointImage(self)) }
        let reader = try makeReader()
        let verifier = try content { () throws(CheckpointReadFailure<LogError>) in
            try CheckpointVerifier(parts, rawBytes: rawBytes) { page throws(LogError) in
                PageBytes(try reader.read(pages[page]))
            }
        }
        return CheckpointVerification(PageVerification(of: self, reader, verifier))
    }

    /// Reads the definitions that the checkpoint holds, and no entity.
    package func loadCatalog() throws(LogError) -> Catalog {
        if header.isImage { return try openImage().state.catalog }
        let reader = try makeReader()
        return try content { () throws(CheckpointReadFailure<LogError>) in
            try CheckpointContents(parts, rawBytes: rawBytes) { page throws(LogError) in
                PageBytes(try reader.read(pages[page]))
            }.catalog
        }
    }

    var parts: [CheckpointPart] {
        pages.map { page in
            CheckpointPart(
                code: page.key.kind, type: page.key.subject, relation: page.key.part,
                first: page.key.first, count: page.key.count)
        }
    }

    /// How many entities, tombstones and ids it holds.
    package func rowCount() throws(LogError) -> UInt64 {
        if header.isImage { return UInt64(try openImage().state.slotCount) }
        return parts.reduce(0) { $1.kind == .rows ? $0 + UInt64($1.count) : $0 }
    }

    var rawBytes: [UInt64] { pages.map(\.rawBytes.rawValue) }

    func content<Result: ~Copyable>(
        _ body: () throws(CheckpointReadFailure<LogError>) -> Result
    ) throws(LogError) -> Result {
        do throws(CheckpointReadFailure<LogError>) {
            return try body()
        } catch {
            switch error {
            case .reading(let error): throw error
            case .content(let error): throw damaged(error)
            }
        }
    }

    func damaged(_ error: CheckpointContentError) -> LogError {
        .checkpointDamaged(file: reference.file.text, reason: "\(error)")
    }
}
