package import VarveEvents
package import VarveLog

extension CheckpointFile {
    /// Reads all pages and compares their content with its digest.
    package func verifyContent() throws(LogError) {
        var verification = try beginVerification()
        while try verification.advance() {}
    }

    /// Reads the first pages; ``CheckpointVerification/advance()`` does the rest.
    package func beginVerification() throws(LogError) -> CheckpointVerification {
        let reader = try makeReader()
        let verifier = try content { () throws(CheckpointReadFailure<LogError>) in
            try CheckpointVerifier(parts, rawBytes: rawBytes) { page throws(LogError) in
                PageBytes(try reader.read(pages[page]))
            }
        }
        return CheckpointVerification(of: self, reader, verifier)
    }

    /// Reads the definitions that the checkpoint holds, and no entity.
    package func loadCatalog() throws(LogError) -> Catalog {
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
    package var rowCount: UInt64 {
        parts.reduce(0) { $1.kind == .rows ? $0 + UInt64($1.count) : $0 }
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

/// Reads the pages of a checkpoint, one at a time, and compares their content with its digest.
package struct CheckpointVerification: ~Copyable {
    private let file: CheckpointFile
    private let reader: CheckpointReader
    private var verifier: CheckpointVerifier
    private let pages: [Int]
    private var position = 0

    fileprivate init(
        of file: CheckpointFile, _ reader: CheckpointReader,
        _ verifier: consuming CheckpointVerifier
    ) {
        self.file = file
        self.reader = reader
        pages = verifier.pages
        self.verifier = verifier
    }

    /// How much of it is read.
    package var fraction: Double { Double(position) / Double(max(pages.count, 1)) }

    /// Goes on; false when all is read and is as it should be.
    package mutating func advance() throws(LogError) -> Bool {
        do throws(CheckpointContentError) {
            guard position < pages.count else {
                try verifier.finish(file.contentDigest)
                return false
            }
        } catch {
            throw file.damaged(error)
        }
        let page = pages[position]
        let bytes = PageBytes(try reader.read(file.pages[page]))
        do throws(CheckpointContentError) {
            try verifier.take(bytes.bytes, ofPage: page)
        } catch {
            throw file.damaged(error)
        }
        position += 1
        return true
    }
}
