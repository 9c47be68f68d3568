import VarveEvents

/// The writing of an image, a block a step: on any thread, one at a time, while the store changes.
package struct ImageWriting {
    private let plan: ImagePlan
    private let record: StateRecord
    /// With damage, before the first step.
    private let meetingCount: Int
    /// Nil before the first step.
    private var writer: BlockWriter?

    package init(_ plan: ImagePlan) {
        self.plan = plan
        record = StateRecord(plan.state)
        meetingCount = plan.state.health?.meetingCount ?? 0
    }

    /// Writes the next block to the end of a sink, which had nothing before the first; false when all are written.
    package mutating func advance(to sink: inout some BlockSink) throws(ImageError) -> Bool {
        if writer == nil { try begin(with: &sink) }
        return try writer?.advance(to: &sink) ?? false
    }

    private mutating func begin(with sink: inout some BlockSink) throws(ImageError) {
        if let damage = plan.state.damage { throw .damaged(damage) }
        var survey = PageSurvey(plan.state, since: plan.base?.root.version ?? .none)
        record.forEachRoot { survey.visit($0) }
        var writer = BlockWriter(plan.state.pages, base: plan.base, plan.compression)
        writer.nextBlock = plan.firstBlock
        let departed = plan.base?.departures.numbers(through: plan.state.version) ?? []
        try ImageError.reading { () throws(PageDamage) in
            try writer.begin(survey.runs, departed: departed, to: &sink)
        }
        self.writer = writer
    }

    /// Writes the root, behind all blocks.
    package mutating func finish(to sink: inout some BlockSink) throws(ImageError) -> WrittenImage {
        guard var writer else { preconditionFailure("blocks are written before the root") }
        try ImageError.reading { () throws(PageDamage) in
            try plan.state.health?.check(since: meetingCount)
        }
        let directory = try writer.finish(to: &sink)
        let root = ImageRoot(
            version: plan.state.version, nextBlock: writer.nextBlock, directory: directory,
            state: record)
        let bytes = try Self.encode(root, at: writer.offset)
        try ImageError.storing { () throws(BlockStorageError) in
            try bytes.withBytes { bytes throws(BlockStorageError) in try sink.appendRoot(bytes) }
        }
        writer.figures.rootBytes = UInt64(bytes.count)
        return WrittenImage(root: root, departures: plan.departures, figures: writer.figures)
    }

    private static func encode(
        _ root: ImageRoot, at offset: UInt64
    ) throws(ImageError) -> ByteWriter {
        do throws(CodecError) {
            return try root.encode(at: offset)
        } catch {
            throw .content(error)
        }
    }
}
