package import VarveLog

/// A disk with room for so many blocks of 512 bytes: every file takes one, and one for each block of its length.
package final class SmallDisk: ForwardingFileSystem {
    fileprivate struct State: Sendable {
        var blocksMax: Int
        var blocks: [FileIdentity: Int] = [:]

        var used: Int { blocks.values.reduce(0, +) }

        mutating func grow(_ file: FileIdentity, to length: UInt64) -> Bool {
            let wanted = 1 + Int((length + SmallDisk.blockBytes - 1) / SmallDisk.blockBytes)
            let present = blocks[file] ?? 0
            guard wanted > present else { return true }
            guard used + wanted - present <= blocksMax else { return false }
            blocks[file] = wanted
            return true
        }
    }

    package static let blockBytes: UInt64 = 512

    package let base: any FileSystem
    private let state: Lock<State>

    /// - Parameter base: its files take what they are long.
    package convenience init(_ base: SimulatedDisk, blocks: Int) throws {
        var state = State(blocksMax: .max)
        for name in try base.list() ?? [] where name != StoreFileName.lost.text {
            let file = try base.open(name, .read)
            _ = state.grow(try file.identity(), to: try file.length().rawValue)
        }
        state.blocksMax = blocks
        self.init(base, Lock(state))
    }

    private init(_ base: any FileSystem, _ state: Lock<State>) {
        self.base = base
        self.state = state
    }

    package var freeBlocks: Int { state.withLock { $0.blocksMax - $0.used } }

    /// Another program takes all but so many of the free blocks.
    package func leave(blocks: Int) { state.withLock { $0.blocksMax = $0.used + blocks } }

    fileprivate static func full(
        _ operation: FileSystemError.Operation, _ name: String
    ) -> FileSystemError {
        FileSystemError(operation, file: name, reason: .system(code: 28))
    }

    package func open(
        _ name: String, _ mode: FileOpenMode
    ) throws(FileSystemError) -> any StoreFile {
        let isNew = try base.identity(of: name) == nil
        if isNew, mode == .createExclusive || mode == .createIfMissing,
            state.withLock({ $0.used >= $0.blocksMax })
        {
            throw Self.full(.open, name)
        }
        let file = try base.open(name, mode)
        let identity = try file.identity()
        if isNew { state.withLock { _ = $0.grow(identity, to: 0) } }
        return SmallFile(file, identity, state)
    }

    package func rename(_ name: String, to newName: String) throws(FileSystemError) {
        let replaced = try base.identity(of: newName)
        try base.rename(name, to: newName)
        if let replaced { state.withLock { $0.blocks[replaced] = nil } }
    }

    package func remove(_ name: String) throws(FileSystemError) {
        let removed = try base.identity(of: name)
        try base.remove(name)
        if let removed { state.withLock { $0.blocks[removed] = nil } }
    }

    package func subdirectory(_ name: String) -> any FileSystem {
        SmallDisk(base.subdirectory(name), state)
    }
}

private final class SmallFile: ForwardingFile {
    let base: any StoreFile
    private let identity: FileIdentity
    private let state: Lock<SmallDisk.State>

    init(_ base: any StoreFile, _ identity: FileIdentity, _ state: Lock<SmallDisk.State>) {
        self.base = base
        self.identity = identity
        self.state = state
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: FrameOffset
    ) throws(FileSystemError) -> Int {
        guard state.withLock({ $0.grow(identity, to: offset.rawValue + UInt64(bytes.count)) })
        else { throw SmallDisk.full(.write, name) }
        return try base.write(bytes, at: offset)
    }

    func truncate(to length: ByteCount) throws(FileSystemError) {
        try base.truncate(to: length)
        state.withLock { state in
            let blocks =
                1 + Int((length.rawValue + SmallDisk.blockBytes - 1) / SmallDisk.blockBytes)
            state.blocks[identity] = min(state.blocks[identity] ?? 0, blocks)
        }
    }

    func allocate(to length: ByteCount) -> Bool {
        guard state.withLock({ $0.grow(identity, to: length.rawValue) }) else { return false }
        do throws(FileSystemError) {
            if try base.length() < length { try base.truncate(to: length) }
            return true
        } catch {
            return false
        }
    }
}
