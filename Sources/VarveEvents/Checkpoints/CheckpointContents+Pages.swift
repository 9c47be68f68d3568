extension CheckpointContents {
    /// Reads the undo stacks and the migrations, if there are any.
    package func readTimeline<Failure: Error>(
        _ read: (Int) throws(Failure) -> PageBytes
    ) throws(CheckpointReadFailure<Failure>) -> Timeline {
        var timeline = Timeline()
        for page in [timelinePage, migrationsPage] {
            guard let page else { continue }
            let bytes = try CheckpointReadFailure.reading { () throws(Failure) in try read(page) }
            do throws(CodecError) {
                if page == timelinePage {
                    timeline = try Timeline(bytes.bytes, through: lastTransaction)
                } else {
                    try timeline.readMigrations(
                        bytes.bytes, count: migrationCount, through: lastTransaction)
                }
            } catch {
                throw .content(.malformed(page: page, error))
            }
        }
        return timeline
    }

    /// How many entities there are that lists of a relation may name.
    package func targetCount(
        of relation: RelationNumber, ofTypeAt index: Int
    ) throws(CodecError) -> Int {
        let definition = types[index].layout.definition
        guard let position = definition.position(of: relation) else {
            throw .invalidTag(
                offset: 0, found: UInt64(relation.rawValue), typeName: "RelationNumber")
        }
        return types[Int(definition.relations[position].target.rawValue) - 1].count
    }
}
