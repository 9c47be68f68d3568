package import VarveEvents

extension AssetFolder {
    private struct Stop: Error {
        let finding: AssetCheck.Finding
    }

    /// The first asset that a transaction gives to an entity and whose file is not there, of the right length. Nil
    /// where all are: only then the transaction may be logged.
    ///
    /// No compaction of the store may be under way, and none may begin before the transaction is logged.
    ///
    /// - Parameters:
    ///   - payload: a transaction that this process has encoded.
    ///   - catalog: the definitions behind it.
    ///   - allowsMoves: whether what the transaction takes from one place it may give to another also where its file is
    ///     lost.
    package func firstProblem(
        in payload: UnsafeRawBufferPointer, _ catalog: Catalog, allowsMoves: Bool = false
    ) -> AssetCheck.Finding? {
        let walk = AssetWalk(catalog)
        guard !walk.isEmpty else { return nil }
        let transaction = TransactionView(ofOwn: payload)
        do throws(AssetWalkFailure<Stop>) {
            var taken: Set<AssetDigest> = []
            if allowsMoves {
                try walk.forEachAsset(in: transaction) { mention throws(Stop) in
                    if !mention.isKept { taken.insert(mention.asset.digest) }
                }
            }
            try walk.forEachAsset(in: transaction) { mention throws(Stop) in
                if !taken.contains(mention.asset.digest) { try check(mention) }
            }
            return nil
        } catch {
            switch error {
            case .consumer(let stop): return stop.finding
            case .events(let error): preconditionFailure("what was just encoded: \(error)")
            }
        }
    }

    private func check(_ mention: AssetMention) throws(Stop) {
        guard mention.isKept, let problem = AssetFile.problem(of: mention.asset, in: self) else {
            return
        }
        throw Stop(
            finding: AssetCheck.Finding(place: AssetNames.Place(mention), problem: problem))
    }
}

extension TransactionView {
    /// Reads a transaction that this process has encoded.
    package init(ofOwn bytes: UnsafeRawBufferPointer) {
        do throws(EventError) {
            try self.init(bytes)
        } catch {
            preconditionFailure("what was just encoded: \(error)")
        }
    }
}
