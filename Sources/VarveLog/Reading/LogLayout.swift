/// The segments of a store in their order, proven to belong together, and which of them is the
/// active one. Frames are not read yet.
struct LogLayout {
    let manifest: Manifest
    /// Its file, which a later version may have made longer.
    let manifestBytes: [UInt8]
    /// Everything before the active segment.
    let sealed: [SegmentEntry]
    let active: SegmentFile
    /// The empty successor of the active segment that an interrupted roll left.
    let abandonedSuccessor: SegmentHeader?
    let temporaryFiles: [String]
    /// What a compaction replaced and did not come to removing.
    let orphans: SupersededFiles

    static func read(
        _ fileSystem: any FileSystem, listing: StoreListing, generation: UInt64, mode: LogMode
    ) throws(LogError) -> LogLayout {
        let bytes = try readManifestBytes(fileSystem, generation: generation)
        let manifest = try Manifest.decode(bytes, generation: generation, mode: mode)
        var files: [SegmentFile] = []
        for segment in try segments(of: manifest, listing) {
            files.append(try SegmentFile.read(segment, in: fileSystem, mode: mode))
        }
        let roles = try SegmentRoles(files, in: fileSystem)
        var chain = SegmentChain(manifest)
        var sealed: [SegmentEntry] = []
        for (position, file) in files.enumerated() where position <= roles.active {
            if let problem = chain.accept(file) { throw problem }
            if position < roles.active, let footer = file.footer {
                sealed.append(SegmentEntry(file, sealed: footer))
            }
        }
        if let abandoned = roles.abandoned,
            let problem = chain.acceptAbandoned(files[abandoned].header)
        {
            throw problem
        }
        return LogLayout(
            manifest: manifest, manifestBytes: bytes, sealed: sealed,
            active: files[roles.active],
            abandonedSuccessor: roles.abandoned.map { files[$0].header },
            temporaryFiles: listing.temporaryFiles,
            orphans: SupersededFiles(by: manifest, listing))
    }

    static func readManifest(
        _ fileSystem: any FileSystem, generation: UInt64, mode: LogMode
    ) throws(LogError) -> Manifest {
        try Manifest.decode(
            readManifestBytes(fileSystem, generation: generation), generation: generation,
            mode: mode)
    }

    private static func readManifestBytes(
        _ fileSystem: any FileSystem, generation: UInt64
    ) throws(LogError) -> [UInt8] {
        let name = StoreFileName.manifest(generation: generation).text
        return try LogError.wrapping { () throws(FileSystemError) in
            let file = try fileSystem.open(name, .read)
            let length = try file.length().rawValue
            return try file.readBytes(
                at: FrameOffset(0), count: Int(min(length, UInt64(Manifest.byteCountMax))),
                name: name)
        }
    }

    /// From the manifest's first segment on, without a gap. Older ones were dropped by a compaction
    /// that did not come to removing them.
    private static func segments(
        of manifest: Manifest, _ listing: StoreListing
    ) throws(LogError) -> [SegmentID] {
        let segments = listing.segments.filter { $0 >= manifest.firstSegment }
        var expected = manifest.firstSegment.rawValue
        for segment in segments {
            guard segment.rawValue == expected else { throw .segmentMissing(SegmentID(expected)) }
            expected &+= 1
        }
        guard !segments.isEmpty else { throw .segmentMissing(manifest.firstSegment) }
        return segments
    }
}

/// Which segment is the active one, as positions in the list of segments.
private struct SegmentRoles {
    let active: Int
    let abandoned: Int?

    init(_ files: [SegmentFile], in fileSystem: any FileSystem) throws(LogError) {
        var active = files.count - 1
        var abandoned: Int?
        for (position, file) in files.enumerated() {
            let successor: SuccessorState =
                position + 1 == files.count
                ? .absent : files[position + 1].isFilled ? .filled : .empty
            switch RollDecision.decide(hasFooter: file.footer != nil, successor: successor) {
            case .sealed, .active: break
            case .activeBeforeInterruptedRoll:
                // Only the last segment can be without frames: the next one would need a footer
                // before it.
                guard position + 2 == files.count else {
                    throw try Self.unsealed(file, in: fileSystem)
                }
                active = position
                abandoned = position + 1
            case .refuseSuccessorMissing: throw .successorMissing(of: file.header.segment)
            case .refuseUnsealed: throw try Self.unsealed(file, in: fileSystem)
            }
        }
        self.active = active
        self.abandoned = abandoned
    }

    /// Names the first damaged place of a segment that must have a footer and has none.
    private static func unsealed(
        _ file: SegmentFile, in fileSystem: any FileSystem
    ) throws(LogError) -> LogError {
        let header = file.header
        let end = FrameOffset(file.length.rawValue)
        let name = StoreFileName.segment(header.segment).text
        let opened = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(name, .read)
        }
        let scan = try SegmentScan.run(
            header, opening: file.opening,
            window: SegmentWindow(opened, name: name, end: end), isSealed: false)
        if let stop = scan.stop { return stop.error }
        return .damaged(
            LogDamage(
                segment: header.segment, offset: end,
                kind: .frameBehindUnsealedSegment, expected: 0, found: end.rawValue))
    }
}

/// What each segment's header must say, given the segments before it.
struct SegmentChain {
    private let store: StoreID
    private var writerEpoch: UInt64 = 0
    private var firstSequence: LogSequence
    private var previousLength: ByteCount
    private var digest: ChainDigest

    init(_ manifest: Manifest) {
        store = manifest.store
        firstSequence = manifest.firstSequence
        previousLength = manifest.chainStartLength
        digest = manifest.chainStart
    }

    /// What the segment behind one that has this footer must say.
    init(behind header: SegmentHeader, _ footer: SegmentFooter) {
        store = header.store
        writerEpoch = header.writerEpoch
        firstSequence = footer.lastSequence.next ?? footer.lastSequence
        previousLength = footer.sealedLength
        digest = footer.digest
    }

    /// Takes the next segment, or says what does not fit.
    mutating func accept(_ file: SegmentFile) -> LogError? {
        let header = file.header
        if let problem = foreignProblem(header) { return problem }
        if header.previousLength != previousLength {
            return broken(
                header, .previousLength, previousLength.rawValue, header.previousLength.rawValue)
        }
        if header.previousDigest != digest {
            return broken(header, .previousDigest, digest.rawValue, header.previousDigest.rawValue)
        }
        if header.firstSequence != firstSequence {
            return broken(
                header, .sequence, firstSequence.rawValue, header.firstSequence.rawValue)
        }
        writerEpoch = header.writerEpoch
        guard let footer = file.footer else { return nil }
        firstSequence = footer.lastSequence.next ?? footer.lastSequence
        previousLength = footer.sealedLength
        digest = footer.digest
        return nil
    }

    /// An abandoned successor named a length and a digest that may never have come to be. It must
    /// still be of this store.
    func acceptAbandoned(_ header: SegmentHeader) -> LogError? {
        foreignProblem(header)
    }

    private func foreignProblem(_ header: SegmentHeader) -> LogError? {
        if header.store != store {
            return broken(header, .storeIdentity, store.low, header.store.low)
        }
        if header.writerEpoch < writerEpoch {
            return broken(header, .writerEpoch, writerEpoch, header.writerEpoch)
        }
        return nil
    }

    private func broken(
        _ header: SegmentHeader, _ kind: LogDamage.Kind, _ expected: UInt64, _ found: UInt64
    ) -> LogError {
        .chainBroken(
            LogDamage(
                segment: header.segment, offset: FrameOffset(0), kind: kind, expected: expected,
                found: found))
    }
}
