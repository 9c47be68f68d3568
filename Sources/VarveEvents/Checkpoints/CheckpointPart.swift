/// What one page of a checkpoint holds.
package struct CheckpointPart: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// All definitions, with the transactions that made them.
        case catalog
        /// The last transaction, and for each type how much there is of it.
        case types
        /// Entities, tombstones and ids that are only referred to, of one type.
        case rows
        /// Lists of one relation.
        case links
        /// Lists that tombstones of one type keep.
        case tombstoneLists
        /// Which migrations were performed.
        case migrations
        /// Blocks of an image, and the parts of its directory.
        case block
        /// The root of an image with its locator, or a part of them.
        case imageRoot
        /// What can be undone and redone, and the savepoints.
        case timeline
        /// Which types' rows a build of an app has tried.
        case triedTypes
        /// Of a later version. From 128 on it may be passed over; below it must be understood.
        case other(UInt8)
    }

    package var kind: Kind
    package var type = TypeNumber(0)
    package var relation = RelationNumber(0)
    /// The number of the first entity, of rows; how many pages of its kind are before it, of an image's.
    package var first: UInt32 = 0
    package var count: UInt32 = 0

    package init(
        _ kind: Kind, type: TypeNumber = TypeNumber(0),
        relation: RelationNumber = RelationNumber(0), first: UInt32 = 0, count: UInt32 = 0
    ) {
        self.kind = kind
        self.type = type
        self.relation = relation
        self.first = first
        self.count = count
    }
}

extension CheckpointPart {
    /// A part by the fields of its page's header.
    package init(code: UInt8, type: UInt32, relation: UInt32, first: UInt32, count: UInt32) {
        self.init(
            Kind(code: code), type: TypeNumber(type), relation: RelationNumber(relation),
            first: first, count: count)
    }
}

extension CheckpointPart.Kind {
    package init(code: UInt8) {
        switch code {
        case 1: self = .catalog
        case 2: self = .types
        case 3: self = .rows
        case 4: self = .links
        case 5: self = .tombstoneLists
        case 6: self = .migrations
        case 7: self = .block
        case 8: self = .imageRoot
        case 128: self = .timeline
        case 129: self = .triedTypes
        default: self = .other(code)
        }
    }

    package var code: UInt8 {
        switch self {
        case .catalog: 1
        case .types: 2
        case .rows: 3
        case .links: 4
        case .tombstoneLists: 5
        case .migrations: 6
        case .block: 7
        case .imageRoot: 8
        case .timeline: 128
        case .triedTypes: 129
        case .other(let code): code
        }
    }

    /// Whether what reads a state may pass it over.
    package var isIgnorable: Bool {
        switch self {
        case .triedTypes: true
        case .other(let code): code >= 128
        case .catalog, .types, .rows, .links, .tombstoneLists, .migrations, .block, .imageRoot,
            .timeline:
            false
        }
    }
}

/// Why the pages of a checkpoint, intact as bytes, are no state.
package indirect enum CheckpointContentError: Error, Equatable, Sendable {
    case malformed(page: Int, CodecError)
    case definition(page: Int, CatalogError)
    /// Pages are missing, repeated, out of order, or contradict each other.
    case structure(page: Int, reason: String)
    /// The content differs from what its digest says.
    case digestDiffers
}

extension CheckpointContentError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let page, let error): "page \(page): \(error)"
        case .definition(let page, let error): "page \(page): \(error)"
        case .structure(let page, let reason): "page \(page): \(reason)"
        case .digestDiffers: "its digest differs from that of its content"
        }
    }
}

/// Memory of a page, freed with the last reference.
///
/// `@unchecked Sendable`: filled before it is handed over, and then owned by one table.
package final class PageBytes: @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer

    /// Takes over memory that was allocated, and deallocates it in the end.
    package init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    deinit { memory.deallocate() }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }
}
