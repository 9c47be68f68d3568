/// A structure of the format as it lies in a file, damaged or not.
package struct RawRecord: Sendable {
    package let file: String
    package let offset: UInt64
    /// Nil for bytes that are no structure of the format: payloads and padding.
    package let structure: FormatStructure?
    package let name: String
    /// Fewer than the structure has where the file ends before.
    package let bytes: [UInt8]
    /// How long it is when not all of it was read.
    package let length: UInt64
    /// What a reader would say about it; nil when it is as it was written.
    package let problem: String?
}

/// Reads structures of a store's files one by one, whatever state the rest of it is in.
package struct RawRecordReader {
    let fileSystem: any FileSystem
    private let payloadBytesMax: UInt64

    /// - Parameter payloadBytesMax: how much of a payload is read.
    package init(_ fileSystem: any FileSystem, payloadBytesMax: UInt64) {
        self.fileSystem = fileSystem
        self.payloadBytesMax = payloadBytesMax
    }

    // MARK: Manifest

    /// The manifest that counts, even if it is damaged.
    package func manifest() throws(LogError) -> [RawRecord] {
        let listing = try StoreListing(fileSystem)
        guard let generation = listing.manifestGenerations.last else {
            throw .missing(directory: fileSystem.displayPath)
        }
        let name = StoreFileName.manifest(generation: generation).text
        let bytes = try read(name, at: 0, count: UInt64(Manifest.byteCount)).bytes
        let problem = Self.problem { () throws(LogError) in
            _ = try LogLayout.readManifest(fileSystem, generation: generation, mode: .readOnly)
        }
        return [record(name, 0, .manifest, bytes, problem)]
    }

    // MARK: Segments

    /// The header of a segment, and its footer if it has one.
    package func segment(_ segment: SegmentID) throws(LogError) -> [RawRecord] {
        let name = StoreFileName.segment(segment).text
        let head = try read(name, at: 0, count: UInt64(SegmentHeader.byteCount)).bytes
        var file: SegmentFile?
        let problem = Self.problem { () throws(LogError) in
            file = try SegmentFile.read(segment, in: fileSystem, mode: .readOnly)
        }
        let header = record(name, 0, .segmentHeader, head, problem)
        guard let footer = file?.footer else { return [header] }
        return [header] + (try frame(segment, at: footer.dataEnd))
    }

    /// The frame at an offset: its header, and behind an intact one the payload and the padding.
    package func frame(
        _ segment: SegmentID, at offset: FrameOffset
    ) throws(LogError) -> [RawRecord] {
        let name = StoreFileName.segment(segment).text
        let (bytes, fileLength) = try read(
            name, at: offset.rawValue, count: UInt64(FrameHeader.byteCount))
        var cursor: FrameCursor?
        var problem = Self.problem { () throws(LogError) in
            let file = try SegmentFile.read(segment, in: fileSystem, mode: .readOnly)
            let opened = try LogError.wrapping { () throws(FileSystemError) in
                try fileSystem.open(name, .read)
            }
            let window = SegmentWindow(opened, name: name, end: FrameOffset(fileLength))
            cursor = FrameCursor(file.header, window: window, at: offset)
        }
        guard var cursor, bytes.count == FrameHeader.byteCount,
            let header = bytes.withUnsafeBytes({
                FrameHeader.decode($0, at: offset, seed: cursor.seed)
            })
        else {
            return [
                record(
                    name, offset.rawValue, .frameHeader, bytes, problem ?? "no frame starts here")
            ]
        }
        problem = Self.problem { () throws(LogError) in
            if case .stopped(let stop) = try cursor.next() { throw stop.error }
        }
        return [record(name, offset.rawValue, .frameHeader, bytes, problem)]
            + (try payload(of: header, name, at: offset, fileLength))
    }

    private func payload(
        of header: FrameHeader, _ name: String, at offset: FrameOffset, _ fileLength: UInt64
    ) throws(LogError) -> [RawRecord] {
        let start = offset.rawValue + UInt64(FrameHeader.byteCount)
        let length = min(UInt64(header.storedLength), fileLength - min(fileLength, start))
        guard length > 0 else { return [] }
        let isFooter = header.type == .footer
        let count = isFooter ? length : min(length, payloadBytesMax)
        let bytes = try read(name, at: start, count: count).bytes
        var records: [RawRecord] = []
        var rest = 0
        if isFooter, bytes.count >= FormatStructure.segmentFooter.byteCount {
            rest = FormatStructure.segmentFooter.byteCount
            records.append(
                record(name, start, .segmentFooter, Array(bytes[..<rest]), nil))
        }
        records.append(
            RawRecord(
                file: name, offset: start + UInt64(rest), structure: nil,
                name: isFooter ? "index and end of the footer" : "stored payload",
                bytes: Array(bytes[rest...]), length: length - UInt64(rest), problem: nil))
        guard header.paddingLength > 0 else { return records }
        let (padding, _) = try read(
            name, at: start + UInt64(header.storedLength), count: UInt64(header.paddingLength))
        records.append(
            RawRecord(
                file: name, offset: start + UInt64(header.storedLength), structure: nil,
                name: "padding", bytes: padding, length: UInt64(padding.count), problem: nil))
        return records
    }

    // MARK: Checkpoints

    /// The header of a checkpoint, the headers of its pages, and its footer.
    package func checkpoint(_ number: UInt64) throws(LogError) -> [RawRecord] {
        let name = StoreFileName.checkpoint(number: number).text
        let head = try read(name, at: 0, count: UInt64(CheckpointHeader.byteCount)).bytes
        var file: CheckpointFile?
        let problem = Self.problem { () throws(LogError) in
            file = try CheckpointFile.readIntact(
                number: number, in: fileSystem)
        }
        var records = [record(name, 0, .checkpointHeader, head, problem)]
        guard let file else { return records }
        var end = UInt64(CheckpointHeader.byteCount)
        for page in file.pages {
            let bytes = try read(
                name, at: page.offset.rawValue, count: UInt64(CheckpointPageHeader.byteCount)
            ).bytes
            records.append(record(name, page.offset.rawValue, .pageHeader, bytes, nil))
            end = page.offset.rawValue + page.header.pageLength
        }
        let footer = try read(
            name, at: end, count: UInt64(FormatStructure.checkpointFooter.byteCount)
        ).bytes
        records.append(record(name, end, .checkpointFooter, footer, nil))
        return records
    }

    // MARK: Bytes

    private func record(
        _ name: String, _ offset: UInt64, _ structure: FormatStructure, _ bytes: [UInt8],
        _ problem: String?
    ) -> RawRecord {
        RawRecord(
            file: name, offset: offset, structure: structure, name: structure.rawValue,
            bytes: bytes, length: UInt64(bytes.count), problem: problem)
    }

    private static func problem(_ body: () throws(LogError) -> Void) -> String? {
        do throws(LogError) {
            try body()
            return nil
        } catch {
            return SalvageReport.reason(of: error)
        }
    }

    /// Up to `count` bytes, and how long the file is.
    private func read(
        _ name: String, at offset: UInt64, count: UInt64
    ) throws(LogError) -> (bytes: [UInt8], fileLength: UInt64) {
        try LogError.wrapping { () throws(FileSystemError) in
            let file = try fileSystem.open(name, .read)
            let length = try file.length().rawValue
            let available = length - min(length, offset)
            let bytes = try file.readBytes(
                at: FrameOffset(offset), count: Int(min(count, available)), name: name)
            return (bytes, length)
        }
    }
}
