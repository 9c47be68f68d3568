package import VarveEvents
package import VarveLog

extension AssetFolder {
    private enum Stop: Error {
        case found(AssetCheck.Finding)
        case log(LogError)
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
    ) throws(LogError) -> AssetCheck.Finding? {
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
            case .consumer(.found(let finding)): return finding
            case .consumer(.log(let error)): throw error
            case .events(let error): preconditionFailure("what was just encoded: \(error)")
            }
        }
    }

    private func check(_ mention: AssetMention) throws(Stop) {
        guard mention.isKept else { return }
        let problem: AssetProblem?
        do throws(LogError) {
            problem = try AssetFile.problem(of: mention.asset, in: self)
        } catch {
            throw .log(error)
        }
        guard let problem else { return }
        throw .found(AssetCheck.Finding(place: AssetNames.Place(mention), problem: problem))
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
