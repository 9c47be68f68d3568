internal import Foundation
internal import VarveLog

/// Texts that are kept for later: in memory up to a limit, and behind that in a file without a name, which goes with
/// the stash.
final class TextStash {
    /// Where a text is.
    enum Place {
        case memory([UInt8])
        case file(offset: UInt64, count: Int, room: Int)
    }

    static let bytesMax = 64 << 20
    private static let name = "texts"

    private let bytesMax: Int
    private(set) var bytesInMemory = 0
    private var file: (any StoreFile)?
    private(set) var fileLength: UInt64 = 0
    /// Room of the file that no text takes any more, the newest last.
    private var vacant: [(offset: UInt64, room: Int)] = []

    /// - Parameter bytesMax: how much is kept in memory.
    init(bytesMax: Int = TextStash.bytesMax) { self.bytesMax = bytesMax }

    /// Keeps a text, in the room of another one where that is given and large enough.
    func keep(_ text: [UInt8], replacing former: Place?) throws(InspectionError) -> Place {
        var former = former
        if case .memory? = former {
            release(former)
            former = nil
        }
        if former == nil, bytesInMemory + text.count <= bytesMax {
            bytesInMemory += text.count
            return .memory(text)
        }
        let (offset, room) = place(for: text.count, former)
        let file = try openFile()
        try Self.wrapping { () throws(FileSystemError) in
            try text.withReader { reader throws(FileSystemError) in
                try file.writeAll(reader.rest, at: FrameOffset(offset), name: Self.name)
            }
        }
        return .file(offset: offset, count: text.count, room: room)
    }

    /// Makes the room of a text free for others.
    func release(_ place: Place?) {
        switch place {
        case .memory(let text)?: bytesInMemory -= text.count
        case .file(let offset, _, let room)?: vacant.append((offset, room))
        case nil: break
        }
    }

    func text(at place: Place) throws(InspectionError) -> [UInt8] {
        switch place {
        case .memory(let text): return text
        case .file(let offset, let count, _):
            let file = try openFile()
            return try Self.wrapping { () throws(FileSystemError) in
                try file.readBytes(at: FrameOffset(offset), count: count, name: Self.name)
            }
        }
    }

    // MARK: The file

    /// The former place, the one that was freed last, or the end of the file: with some room for a text that grows.
    private func place(for count: Int, _ former: Place?) -> (offset: UInt64, room: Int) {
        if case .file(let offset, _, let room)? = former {
            if room >= count { return (offset, room) }
            vacant.append((offset, room))
        }
        if let last = vacant.last, last.room >= count {
            vacant.removeLast()
            return last
        }
        let room = count + count / 4 + 64
        defer { fileLength += UInt64(room) }
        return (fileLength, room)
    }

    private func openFile() throws(InspectionError) -> any StoreFile {
        if let file { return file }
        let directory = POSIXFileSystem(FileManager.default.temporaryDirectory.path)
        let name = "varve-\(UUID().uuidString)"
        let opened = try Self.wrapping { () throws(FileSystemError) in
            let opened = try directory.open(name, .createExclusive)
            // Without a name it goes with the last descriptor, whatever ends the process.
            try directory.remove(name)
            return opened
        }
        file = opened
        return opened
    }

    private static func wrapping<Result>(
        _ body: () throws(FileSystemError) -> Result
    ) throws(InspectionError) -> Result {
        try InspectionError.wrapping { () throws(LogError) in try LogError.wrapping(body) }
    }
}
