/// A segment's header and footer, read and checked each for itself.
struct SegmentFile {
    let header: SegmentHeader
    /// The chain digest behind the header.
    let opening: ChainDigest
    let length: ByteCount
    /// Nil when the file does not end with a valid footer.
    let footer: SegmentFooter?

    /// Bytes behind the header.
    var isFilled: Bool { length.rawValue > UInt64(header.headerLength) }

    static func read(
        _ segment: SegmentID, in fileSystem: any FileSystem, mode: LogMode
    ) throws(LogError) -> SegmentFile {
        let name = StoreFileName.segment(segment).text
        let file: any StoreFile
        let length: ByteCount
        let headerBytes: [UInt8]
        do {
            file = try fileSystem.open(name, .read)
            length = try file.length()
            headerBytes = try file.readBytes(
                at: FrameOffset(0),
                count: Int(min(length.rawValue, UInt64(SegmentHeader.byteCount))), name: name)
        } catch {
            throw .fileSystem(error)
        }
        let header = try SegmentHeader.decode(headerBytes, of: segment, mode: mode)
        guard length.rawValue >= UInt64(header.headerLength) else {
            throw .damaged(
                LogDamage(
                    segment: segment, offset: FrameOffset(0), kind: .segmentHeader,
                    expected: UInt64(header.headerLength), found: length.rawValue))
        }
        let window = SegmentWindow(
            file, name: name, end: FrameOffset(length.rawValue),
            blockBytes: SegmentWindow.randomBlockBytes)
        return SegmentFile(
            header: header, opening: header.opening(headerBytes), length: length,
            footer: try readFooter(header, window))
    }

    /// The footer is the file's last frame, found by the file's last bytes.
    private static func readFooter(
        _ header: SegmentHeader, _ window: SegmentWindow
    ) throws(LogError) -> SegmentFooter? {
        let length = window.end.rawValue
        let locatorBytes = SegmentFooter.locatorByteCount
        let smallest = UInt64(
            FrameHeader.byteCount + SegmentFooter.fixedByteCount + locatorBytes)
        guard length >= UInt64(header.headerLength) + smallest else { return nil }
        let locator = try window.bytes(
            at: FrameOffset(length - UInt64(locatorBytes)), count: locatorBytes)
        guard let dataEnd = SegmentFooter.decodeLocator(locator), dataEnd >= header.frameStart,
            dataEnd.rawValue % UInt64(FrameHeader.alignment) == 0,
            dataEnd.rawValue <= length - smallest
        else { return nil }
        var cursor = FrameCursor(header, window: window, at: dataEnd)
        guard case .frame(let frame) = try cursor.next(), frame.header.type == .footer,
            frame.end == window.end, frame.header.durableEnd == dataEnd,
            let footer = SegmentFooter.decode(frame.payload), footer.dataEnd == dataEnd,
            footer.firstSequence == header.firstSequence
        else { return nil }
        return footer
    }
}
