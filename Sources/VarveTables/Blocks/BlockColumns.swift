/// The pages of a block as its content before compression: a column for each field of them.
///
///     content   versions | field of all pages | field of all pages | ... | items' field of all pages ...
///     column    bytes of a value, UInt8 | the lowest byte of each value | the next byte of each | ...
///
/// The contents of leaves of rows are columns of their own; see ``RowContentColumns``.
/// The versions say which frames hold a page. The highest bytes that are zero in all values of a column are left out.
struct BlockColumns {
    private let run: PageRun
    private let columns: PageColumns
    private let frameCount: Int
    /// Of leaves of rows: whether their ids are a column, and their rows another one.
    private let hasIDsApart: Bool

    /// - Parameters:
    ///   - frameCount: the frames that are stored, the first ones of the run.
    ///   - idsApart: whether ids of rows lie apart from the rows. Matters to leaves of rows alone.
    /// - Returns: nil where no page of the kind fits a frame.
    init?(_ run: PageRun, frameCount: Int, idsApart: Bool = true) {
        guard let columns = PageColumns.of(run.kind), columns.fieldsEnd <= run.frameBytes else {
            return nil
        }
        self.run = run
        self.columns = columns
        self.frameCount = frameCount
        hasIDsApart = idsApart && run.kind == PageKind(.rowLeaf)
    }

    /// What the content takes at most, of frames of so many bytes: each byte once, a count for each column, and a byte
    /// for each row, of which a leaf has few in some hundred bytes.
    static func byteCountMax(ofFrames byteCount: Int) -> Int {
        byteCount + byteCount / 32 + columnCountMax
    }

    private static let columnCountMax = 16

    /// Of one field in one page.
    private struct Span {
        let start: UnsafeMutableRawPointer
        let count: Int
    }

    private func frame(_ index: Int, _ start: UnsafeMutableRawPointer) -> Page {
        Page(address: start + index * run.frameBytes)
    }

    private func spans(_ field: PageColumns.Field, _ pages: [Page]) -> [Span] {
        pages.map { Span(start: $0.address + field.offset, count: field.count) }
    }

    private func spans(
        _ field: PageColumns.Field, _ pages: [Page], _ extents: [(start: Int, count: Int)]
    ) -> [Span] {
        zip(pages, extents).map { page, extent in
            Span(start: page.address + extent.start + field.offset, count: extent.count)
        }
    }

    // MARK: Writing

    /// Writes the pages of frames that begin at `start`. Returns how many bytes that takes; nil where a page contradicts
    /// itself, which those of a state do not.
    func encode(
        _ start: UnsafeMutableRawPointer, into content: UnsafeMutableRawBufferPointer
    ) -> Int? {
        var writer = ColumnWriter(content)
        let pages = (0..<frameCount).map { frame($0, start) }.filter { $0.birth != .none }
        encodeVersions(start, with: &writer)
        for field in columns.fields {
            add(field, stride: field.stride, spans(field, pages), to: &writer)
        }
        if hasIDsApart {
            guard RowContentColumns.encode(pages, with: &writer) else { return nil }
        } else if let items = columns.items {
            let extents = pages.map { columns.extent(of: $0) ?? (0, 0) }
            for field in items.fields {
                add(field, stride: items.bytes, spans(field, pages, extents), to: &writer)
            }
        }
        return writer.count
    }

    /// 0 for a frame without a page.
    private func encodeVersions(_ start: UnsafeMutableRawPointer, with writer: inout ColumnWriter) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: frameCount) { values in
            var last: UInt64 = 0
            for index in 0..<frameCount {
                let birth = frame(index, start).birth.rawValue
                let value =
                    birth == 0 ? 0 : ValueDifference.encode(birth &- last, unusedBits: 0) &+ 1
                values.initializeElement(at: index, to: value)
                if birth != 0 { last = birth }
            }
            writer.add(UnsafeBufferPointer(values))
        }
    }

    private func add(
        _ field: PageColumns.Field, stride: Int, _ spans: [Span], to writer: inout ColumnWriter
    ) {
        let count = spans.reduce(0) { $0 + $1.count }
        if field.bytes == 1, stride == 1 {
            writer.beginBytes(count)
            for span in spans {
                writer.append(UnsafeRawBufferPointer(start: span.start, count: span.count))
            }
            return
        }
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { values in
            switch field.bytes {
            case 1: gather(field, stride, spans, into: values, as: UInt8.self)
            case 2: gather(field, stride, spans, into: values, as: UInt16.self)
            case 4: gather(field, stride, spans, into: values, as: UInt32.self)
            default: gather(field, stride, spans, into: values, as: UInt64.self)
            }
            writer.add(UnsafeBufferPointer(values))
        }
    }

    private func gather<Value: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ field: PageColumns.Field, _ stride: Int, _ spans: [Span],
        into values: UnsafeMutableBufferPointer<UInt64>, as type: Value.Type
    ) {
        let unusedBits = UInt64(64 - Value.bitWidth)
        var (index, last) = (0, UInt64(0))
        for span in spans {
            if field.form == .differenceInPage { last = 0 }
            for position in 0..<span.count {
                let value = UInt64(
                    span.start.loadUnaligned(fromByteOffset: position &* stride, as: Value.self))
                let stored =
                    field.form == .plain
                    ? value : ValueDifference.encode(value &- last, unusedBits: unusedBits)
                values.initializeElement(at: index, to: stored)
                last = value
                index &+= 1
            }
        }
    }

    // MARK: Reading

    /// Makes the pages in frames of zeros, which begin at `start`. Returns false where the content cannot be of these
    /// frames; what they hold then is not to be used.
    func decode(
        _ content: UnsafeRawBufferPointer, into start: UnsafeMutableRawPointer
    ) -> Bool {
        var reader = ColumnReader(content)
        guard let pages = decodeVersions(&reader, start) else { return false }
        for field in columns.fields {
            guard read(field, stride: field.stride, spans(field, pages), from: &reader) else {
                return false
            }
        }
        if hasIDsApart {
            return RowContentColumns.decode(&reader, into: pages) && reader.isAtEnd
        }
        guard let items = columns.items else { return reader.isAtEnd }
        let extents = pages.compactMap { columns.extent(of: $0) }
        guard extents.count == pages.count else { return false }
        for field in items.fields {
            let spans = spans(field, pages, extents)
            guard read(field, stride: items.bytes, spans, from: &reader) else { return false }
        }
        return reader.isAtEnd
    }

    /// The pages that there are.
    private func decodeVersions(
        _ reader: inout ColumnReader, _ start: UnsafeMutableRawPointer
    ) -> [Page]? {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: frameCount) { values in
            guard reader.read(values, bytesMax: 8) else { return nil }
            var pages: [Page] = []
            pages.reserveCapacity(frameCount)
            var last: UInt64 = 0
            for (index, value) in values.enumerated() where value != 0 {
                last = last &+ ValueDifference.decode(value &- 1)
                guard last != 0 else { return nil }
                let page = frame(index, start)
                page.birth = PageVersion(last)
                page.setKind(run.kind, byteCount: run.frameBytes)
                pages.append(page)
            }
            return pages
        }
    }

    private func read(
        _ field: PageColumns.Field, stride: Int, _ spans: [Span], from reader: inout ColumnReader
    ) -> Bool {
        let count = spans.reduce(0) { $0 + $1.count }
        if field.bytes == 1, stride == 1 {
            guard let bytes = reader.readBytes(count) else { return false }
            scatter(bytes, spans)
            return true
        }
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { values in
            guard reader.read(values, bytesMax: field.bytes) else { return false }
            switch field.bytes {
            case 1: scatter(values, field, stride, spans, as: UInt8.self)
            case 2: scatter(values, field, stride, spans, as: UInt16.self)
            case 4: scatter(values, field, stride, spans, as: UInt32.self)
            default: scatter(values, field, stride, spans, as: UInt64.self)
            }
            return true
        }
    }

    /// - Parameter bytes: none for zeros, which the frames hold already.
    private func scatter(_ bytes: UnsafeRawBufferPointer, _ spans: [Span]) {
        // An empty part of the content has an address all the same.
        guard !bytes.isEmpty, var next = bytes.baseAddress else { return }
        for span in spans {
            span.start.copyMemory(from: next, byteCount: span.count)
            next += span.count
        }
    }

    private func scatter<Value: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ values: UnsafeMutableBufferPointer<UInt64>, _ field: PageColumns.Field, _ stride: Int,
        _ spans: [Span], as type: Value.Type
    ) {
        var (index, last) = (0, UInt64(0))
        for span in spans {
            if field.form == .differenceInPage { last = 0 }
            for position in 0..<span.count {
                let stored = values[index]
                let value = Value(
                    truncatingIfNeeded: field.form == .plain
                        ? stored : last &+ ValueDifference.decode(stored))
                span.start.storeBytes(
                    of: value, toByteOffset: position &* stride, as: Value.self)
                last = UInt64(value)
                index &+= 1
            }
        }
    }
}
