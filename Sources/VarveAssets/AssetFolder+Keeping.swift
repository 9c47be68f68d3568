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
            if try AssetFile.isIntact(digest, byteCount: byteCount, in: self) {
                try prepareFolder(of: digest)
                try folder(of: digest).synchronizeDirectory()
                return KeptAsset(digest: digest, byteCount: byteCount, hold: hold)
            }
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
                if try !isFile(of: kept.digest, source) { try source.remove() }
                return kept
            }
        }
    }

    /// Whether a source is the file of an asset of this store: of that there is one, which must not go.
    private func isFile(
        of digest: AssetDigest, _ source: SourceFile
    ) throws(FileSystemError) -> Bool {
        try folder(of: digest).identity(of: AssetFileName.name(of: digest)) == source.identity
    }

    private func copy(_ source: SourceFile) throws(FileSystemError) -> KeptAsset {
        let staged = try StagedAsset(in: self)
        try staged.take(source)
        return try staged.place()
    }

    /// Nil where the file cannot move, or its content is there already.
    private func move(_ source: SourceFile) throws(FileSystemError) -> KeptAsset? {
        let (digest, byteCount) = try AssetFile.digest { buffer, offset throws(FileSystemError) in
            try source.read(into: buffer, at: offset)
        }
        let hold = hold(digest)
        guard try !AssetFile.isIntact(digest, byteCount: byteCount, in: self) else { return nil }
        try source.synchronize()
        try prepareFolder(of: digest)
        let folder = folder(of: digest)
        guard try source.move(to: AssetFileName.name(of: digest), in: folder) else { return nil }
        try folder.synchronizeDirectory()
        return KeptAsset(digest: digest, byteCount: byteCount, hold: hold)
    }
}
