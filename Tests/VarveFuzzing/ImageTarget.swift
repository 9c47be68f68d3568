import VarveEvents
import VarveTables

/// An image whose checksums are right, as a reader meets it.
enum ImageTarget {
    /// Images of small states: with links, with an index, with a long row, and of form 2.
    static let seeds: [[UInt8]] = {
        do {
            let state = try FuzzSample.transactions.reduce(State()) { state, bytes in
                try state.changed { transaction in try apply(bytes, to: transaction) }
            }
            let plain = try image(of: state)
            let indexed = try state.changed { transaction in
                _ = try transaction.declareIndex(
                    of: TypeNumber(1), IndexDeclaration([.init(FieldNumber(1))]))
            }
            let second = try image(of: indexed)
            let long = try indexed.changed { transaction in
                try apply(FuzzSample.longRow, to: transaction)
            }
            return [plain, second, try image(of: long), seedOfForm2]
        } catch {
            preconditionFailure("a sample can be written: \(error)")
        }
    }()

    /// Of the newest state of its store.
    private static func image(of state: State) throws -> [UInt8] {
        var sink = ImageBytes()
        _ = try ImagePlan(state).write(to: &sink)
        return sink.bytes
    }

    /// Opens an image, reads all of it, changes what it holds, and writes the next one, quickly and thoroughly.
    static func run(_ bytes: [UInt8]) {
        let bytes = Resealing.image(bytes)
        guard let (state, image) = try? State.open(ImageInMemory(bytes)) else { return }
        let rows = try? state.reading { try state.allRows() }
        let digest = try? state.reading { try state.contentDigest() }
        if let digest {
            precondition(rows != nil, "what is read for a digest can be read")
            let again = try? State.open(ImageInMemory(bytes)).state
            let second = again.flatMap { again in
                try? again.reading { try again.contentDigest() }
            }
            precondition(second == digest, "an image has one content")
        }
        let transaction = StateTransaction(state)
        try? apply(FuzzSample.longRow, to: transaction)
        let changed = transaction.publish()
        _ = try? changed.reading { try changed.contentDigest() }
        for compression in [ImageCompression.quick, .thorough] {
            var sink = ImageBytes()
            _ = try? ImagePlan(changed, base: image, compression: compression).write(to: &sink)
        }
    }

    private static func apply(_ bytes: [UInt8], to transaction: StateTransaction) throws {
        try bytes.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
    }
}

extension State {
    /// How many bytes all rows have, read as an opening does and as a query does.
    fileprivate func allRows() throws(CodecError) -> Int {
        var count = 0
        for type in catalog.definitions.map(\.number) {
            guard var reader = reader(of: type) else { continue }
            var (passed, seen) = (0, 0)
            try reader.forEachSlot(in: 0..<reader.slotCount) {
            } _: { entity in
                if entity.presence.hasRow { passed += entity.row.count + entity.id.count }
            }
            try reader.forEachBatch(in: leavesAsStored(of: type)[...]) { batch throws(CodecError) in
                for index in 0..<batch.count {
                    seen += try batch.bytes(of: index).count + batch.entity(index).id.count
                }
                return true
            }
            count += passed + seen
        }
        return count
    }
}
