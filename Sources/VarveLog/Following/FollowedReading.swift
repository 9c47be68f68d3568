/// What one step of reading came to.
struct FollowedStep {
    /// Behind the step.
    let place: FollowedPlace
    /// What is to be delivered, if anything. Its bytes are valid until the next step.
    let record: LogRecord?
    /// The transaction that ends here.
    let sequence: LogSequence?
}

/// Reads whole transactions, and what stands between them, from a place up to an end.
struct FollowedReading {
    private var place: FollowedPlace
    private var cursor: FrameCursor
    private let content: FrameContent
    private let readsContent: Bool

    init(
        _ place: FollowedPlace, _ fileSystem: any FileSystem,
        end: FrameOffset, readsContent: Bool = true
    ) throws(LogError) {
        self.place = place
        self.readsContent = readsContent
        let name = StoreFileName.segment(place.header.segment).text
        let file = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(name, .read)
        }
        let window = SegmentWindow(
            file, name: name, end: end, blockBytes: SegmentWindow.randomBlockBytes)
        cursor = FrameCursor(place.header, window: window, at: place.offset)
        content = FrameContent(place.header.segment)
    }

    /// Nil at the end, and before a transaction whose last frame is not there yet.
    mutating func next() throws(LogError) -> FollowedStep? {
        while true {
            switch try cursor.next() {
            case .end: return nil
            case .stopped(let stop): throw stop.error
            case .frame(let frame):
                try place.pass(frame)
                if let step = try step(frame) { return step }
            }
        }
    }

    private func step(_ frame: Frame) throws(LogError) -> FollowedStep? {
        switch frame.header.type {
        case .transaction where !readsContent:
            guard !frame.header.flags.contains(.continues) else { return nil }
            return FollowedStep(place: place, record: nil, sequence: frame.header.sequence)
        case .transaction:
            guard let transaction = try content.add(frame) else { return nil }
            return FollowedStep(
                place: place, record: .transaction(transaction), sequence: transaction.sequence)
        case .catalog where readsContent:
            let payload = try content.payload(of: frame)
            return FollowedStep(place: place, record: .catalog(payload: payload), sequence: nil)
        default:
            return FollowedStep(place: place, record: nil, sequence: nil)
        }
    }
}
