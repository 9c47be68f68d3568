internal import VarveEvents
package import VarveLog

/// How a file becomes an asset.
package enum AssetTransfer: Sendable {
    /// The file stays. Where the file system can, the asset shares its blocks.
    case copying
    /// The file goes: by a new name where that is possible, else it is copied and then removed.
    case moving
}

extension AssetFolder {
    /// Keeps bytes. Writes nothing where they are there already.
    package func keep(_ bytes: UnsafeRawBufferPointer) throws(LogError) -> KeptAsset {
        try LogError.wrapping { () throws(FileSystemError) in
            let digest = AssetDigest(of: bytes)
            let hold = hold(digest)
            let byteCount = UInt64(bytes.count)
            if let present = try present(digest, byteCount, hold) { return present }
            let staged = try StagedAsset(in: self)
            try staged.append(bytes)
            return try staged.place()
        }
    }

    /// Keeps the content of a file.
    package func keep(
        fileAt path: String, _ transfer: AssetTransfer
    ) throws(LogError) -> KeptAsset {
        try LogError.wrapping { () throws(FileSystemError) in
            let source = try SourceFile(path)
            switch transfer {
            case .copying: return try copy(source)
            case .moving:
                if let moved = try move(source) { return moved }
                let kept = try copy(source)
                try remove(source, keptAs: kept.digest)
                return kept
            }
        }
    }

    /// An asset whose content is there already, all of it; its name is safe when this returns. Nil where it is not.
    private func present(
        _ digest: AssetDigest, _ byteCount: UInt64, _ hold: AssetHold
    ) throws(FileSystemError) -> KeptAsset? {
        guard try AssetFile.isIntact(digest, byteCount: byteCount, in: self) else { return nil }
        try prepareFolder(of: digest)
        try folder(of: digest).synchronizeDirectory()
        return KeptAsset(digest: digest, byteCount: byteCount, hold: hold)
    }

    /// Removes a file whose content is kept, unless it is the file of an asset of this store: of that there is one.
    private func remove(
        _ source: SourceFile, keptAs digest: AssetDigest
    ) throws(FileSystemError) {
        let own: FileIdentity?
        do throws(FileSystemError) {
            own = try folder(of: digest).identity(of: AssetFileName.name(of: digest))
        } catch {
            throw error.naming(AssetFileName.path(of: digest))
        }
        if own != source.identity { try source.remove() }
    }

    private func copy(_ source: SourceFile) throws(FileSystemError) -> KeptAsset {
        let staged = try StagedAsset(in: self)
        try staged.take(source)
        return try staged.place()
    }

    /// Nil where the file cannot move. It only goes where its content is there already.
    private func move(_ source: SourceFile) throws(FileSystemError) -> KeptAsset? {
        let (digest, byteCount) = try AssetFile.digest { buffer, offset throws(FileSystemError) in
            try source.read(into: buffer, at: offset)
        }
        let hold = hold(digest)
        if let present = try present(digest, byteCount, hold) {
            try remove(source, keptAs: digest)
            return present
        }
        try source.synchronize()
        try prepareFolder(of: digest)
        let folder = folder(of: digest)
        let isMoved = try source.move(to: AssetFileName.name(of: digest), in: folder) {
            () throws(FileSystemError) in try folder.synchronizeDirectory()
        }
        return isMoved ? KeptAsset(digest: digest, byteCount: byteCount, hold: hold) : nil
    }
}
