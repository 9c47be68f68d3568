extension CheckpointContents {
    /// Reads the undo stacks, if there are any.
    package func readTimeline<Failure: Error>(
        _ read: (Int) throws(Failure) -> PageBytes
    ) throws(CheckpointReadFailure<Failure>) -> Timeline {
        guard let page = timelinePage else { return Timeline() }
        let bytes = try CheckpointReadFailure.reading { () throws(Failure) in try read(page) }
        do throws(CodecError) {
            return try Timeline(bytes.bytes, through: lastTransaction)
        } catch {
            throw .content(.malformed(page: page, error))
        }
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
