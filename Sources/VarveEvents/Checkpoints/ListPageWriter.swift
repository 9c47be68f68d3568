/// Puts together one page of lists: numbers as differences to what stands before them.
struct ListPageWriter: ~Copyable {
    private(set) var count = 0
    private var bytes = ByteWriter(capacity: 256 << 10)
    private var holder: UInt32 = 0
    private var target: UInt32 = 0

    var byteCount: Int { bytes.count }

    /// Adds a list that is not empty. Holders come in ascending order; `relation` is said where
    /// the page holds several.
    mutating func add(holder: UInt32, relation: RelationNumber?, targets: [UInt32]) {
        bytes.writeVarint(UInt64(holder &- self.holder))
        self.holder = holder
        if let relation { bytes.writeVarint(UInt64(relation.rawValue)) }
        bytes.writeCount(targets.count)
        for number in targets {
            bytes.writeSigned(Int64(number) - Int64(target))
            target = number
        }
        count += 1
    }

    /// Appends the page to `output` and starts the next.
    mutating func finish(into output: inout ByteWriter) {
        output.write(contentsOf: bytes)
        bytes.removeAll()
        count = 0
        holder = 0
        target = 0
    }
}

/// Reads one page of lists: what ``ListPageWriter`` wrote, or anything.
package struct ListPageReader {
    package let count: Int
    /// How many entities there are of the type that holds the lists.
    let holderCount: Int
    private var reader: ByteReader
    private var holder: Int64 = 0
    private var target: Int64 = 0

    package init(_ page: UnsafeRawBufferPointer, count: Int, holderCount: Int) {
        self.count = count
        self.holderCount = holderCount
        reader = ByteReader(page)
    }

    /// A list whose targets come next.
    package struct Head {
        package let holder: UInt32
        /// 0 where the page's own is meant.
        package let relation: RelationNumber
        /// Of the targets; bounded by the bytes that are left.
        package let count: Int
    }

    /// Reads what stands before a list's targets, which ``readTargets(of:below:into:)`` reads.
    package mutating func next(namesRelation: Bool) throws(CodecError) -> Head {
        let start = reader.position
        let (sum, overflow) = holder.addingReportingOverflow(
            Int64(bitPattern: try reader.readVarint()))
        guard !overflow, sum >= holder, sum < Int64(holderCount) else {
            throw .valueOutOfRange(offset: start, typeName: "holder of a list")
        }
        holder = sum
        let relation = RelationNumber(namesRelation ? try readRelation() : 0)
        let count = try reader.readCount()
        // Each takes a byte at least.
        guard count > 0, count <= reader.remaining else {
            throw .lengthOutOfRange(
                offset: start, length: UInt64(count), available: reader.remaining)
        }
        return Head(holder: UInt32(truncatingIfNeeded: sum), relation: relation, count: count)
    }

    /// Appends a list's targets. `targetCount` is how many entities there are of the type that the
    /// relation leads to.
    package mutating func readTargets(
        of head: Head, below targetCount: Int, into targets: inout [UInt32]
    ) throws(CodecError) {
        let limit = Int64(targetCount)
        for _ in 0..<head.count {
            let (sum, overflow) = target.addingReportingOverflow(try reader.readSigned())
            guard !overflow, sum >= 0, sum < limit else {
                throw .valueOutOfRange(offset: reader.position, typeName: "target of a list")
            }
            target = sum
            targets.append(UInt32(truncatingIfNeeded: sum))
        }
    }

    private mutating func readRelation() throws(CodecError) -> UInt32 {
        let start = reader.position
        guard let relation = UInt32(exactly: try reader.readVarint()) else {
            throw .valueOutOfRange(offset: start, typeName: "RelationNumber")
        }
        return relation
    }

    package func expectEnd() throws(CodecError) { try reader.expectEnd() }
}
