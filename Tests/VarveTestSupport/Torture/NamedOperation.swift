package import VarveLog

/// An operation of a disk together with the name that its file had at that moment.
package struct NamedOperation: Sendable {
    package var operation: DiskOperation
    /// "segment-0000000001.tmp", "lost/…"; of a sync of a directory "" or "lost".
    package let name: String
    /// What the file holds before the operation, as a running system shows it.
    package let length: Int

    package var file: StoreFileName? { StoreFileName(name) }

    /// The frame type and flags of a write that is a frame.
    package var frame: (type: FrameType, flags: FrameFlags)? {
        guard case .write(_, _, let bytes) = operation, bytes.count >= FrameHeader.byteCount,
            bytes[0] == 0x56, bytes[1] == 0x72, bytes[2] == 0x46, bytes[3] == 0x31
        else { return nil }
        return (
            FrameType(rawValue: bytes[4]),
            FrameFlags(rawValue: UInt16(bytes[6]) | UInt16(bytes[7]) << 8)
        )
    }
}

extension SimulatedDisk {
    package var namedOperations: [NamedOperation] {
        let (operations, atStart) = state.withLock { ($0.operations, $0.atStart) }
        var disk = atStart
        return operations.map { operation in
            let named = NamedOperation(
                operation: operation, name: disk.name(of: operation),
                length: disk.length(of: operation))
            disk.apply(operation)
            return named
        }
    }
}

extension SimulatedDiskState {
    func length(of operation: DiskOperation) -> Int {
        guard case .content(let file) = operation.subject else { return 0 }
        return content[file, default: []].count
    }

    /// Of a file the name that it has, of a name the name itself, of a directory its own.
    func name(of operation: DiskOperation) -> String {
        switch operation {
        case .link(let directory, let name, _), .remove(let directory, let name),
            .rename(let directory, _, let name, _):
            prefix(directory) + name
        case .synchronizeDirectory(let directory): path(directory)
        case .write(let file, _, _), .truncate(let file, _), .synchronize(let file),
            .synchronizeAndFail(let file), .revert(let file, _):
            path(of: file)
        case .nothing: ""
        }
    }

    private func prefix(_ directory: DirectoryNumber) -> String {
        let path = path(directory)
        return path.isEmpty ? "" : path + "/"
    }

    private func path(_ directory: DirectoryNumber) -> String {
        directories.first { $0.value == directory }?.key ?? ""
    }

    private func path(of file: FileNumber) -> String {
        for (directory, names) in entries {
            for (name, number) in names where number == file { return prefix(directory) + name }
        }
        return ""
    }
}
