import VarveLog
import VarveTestSupport

/// A named fault of a writer, put in at run time, that the campaign must notice: who tests the tests.
struct Mutant: Sendable {
    enum Kind: Sendable {
        /// The disk is asked for something else than the log asked for: the same number of
        /// operations, some left out or in another order.
        case disk(@Sendable ([NamedOperation]) -> [DiskOperation])
        case writer(WriterFault)
        /// The file system misbehaves in a way that the log relies on it not to.
        case fileSystem(LyingFileSystem.Lie)
    }

    /// What must notice it.
    enum Hunter: String, Sendable {
        case crash, compound, corruption, follower, lock, run
    }

    let name: String
    let hunter: Hunter
    let kind: Kind
    let workloads: [[LogStep]]

    init(
        _ name: String, by hunter: Hunter = .crash, _ workloads: [[LogStep]], _ kind: Kind
    ) {
        self.name = name
        self.hunter = hunter
        self.workloads = workloads
        self.kind = kind
    }
}

extension [NamedOperation] {
    /// The operations, without those at the chosen positions.
    func without(_ isLeftOut: (Int) -> Bool) -> [DiskOperation] {
        indices.map { isLeftOut($0) ? .nothing : self[$0].operation }
    }

    /// With the operations at `positions`, in their order, at the place of the first of `place`
    /// (which comes before or after all of them).
    func moving(_ positions: [Int], to place: Int) -> [NamedOperation] {
        let moved = Set(positions)
        var result: [NamedOperation] = []
        for index in indices {
            if index == place, place <= positions.first ?? place {
                result += positions.map { self[$0] }
            }
            if !moved.contains(index) { result.append(self[index]) }
            if index == place, place > positions.first ?? place {
                result += positions.map { self[$0] }
            }
        }
        return result
    }

    var operations: [DiskOperation] { map(\.operation) }

    /// The next position behind `index` that fits.
    func next(after index: Int, where fits: (NamedOperation) -> Bool) -> Int? {
        self[(index + 1)...].firstIndex(where: fits)
    }

    func previous(before index: Int, where fits: (NamedOperation) -> Bool) -> Int? {
        self[..<index].lastIndex(where: fits)
    }
}

extension NamedOperation {
    enum FileKind: Sendable { case segment, manifest, checkpoint, lost, other }

    /// What the file is, whether it has its name already or not.
    var kind: FileKind {
        if name.hasPrefix("lost") { return .lost }
        let name =
            switch file {
            case .temporary(let inner): inner
            case let other: other
            }
        return switch name {
        case .segment: .segment
        case .manifest: .manifest
        case .checkpoint: .checkpoint
        default: .other
        }
    }

    var isTemporary: Bool {
        if case .temporary = file { true } else { false }
    }

    var isSync: Bool { if case .synchronize = operation { true } else { false } }
    var isDirectorySync: Bool {
        if case .synchronizeDirectory = operation { true } else { false }
    }
    var isRename: Bool { if case .rename = operation { true } else { false } }
    var isRemoval: Bool { if case .remove = operation { true } else { false } }
    var isLink: Bool { if case .link = operation { true } else { false } }
    var isTruncation: Bool { if case .truncate = operation { true } else { false } }
    var isWrite: Bool { if case .write = operation { true } else { false } }
    var isFooter: Bool { frame?.type == .footer }
    var isCleanSeal: Bool { frame.map { $0.type == .seal && $0.flags.contains(.clean) } ?? false }

    /// Bytes that are there are written once more.
    var isRewriting: Bool {
        guard case .write(_, let offset, _) = operation else { return false }
        return offset < length
    }

    /// A sync of frames.
    var isFrameSync: Bool { isSync && kind == .segment && !isTemporary }

    var number: UInt64 {
        switch file {
        case .segment(let segment), .temporary(.segment(let segment)): segment.rawValue
        case .manifest(let generation), .temporary(.manifest(let generation)): generation
        case .checkpoint(let number), .temporary(.checkpoint(let number)): number
        default: 0
        }
    }
}
