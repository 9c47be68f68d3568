/// The files that a manifest makes superfluous: what a compaction removes at its end, and what a
/// writer removes when that compaction was interrupted.
struct SupersededFiles {
    /// In the order in which they are removed: manifests first, so that no older one ever counts
    /// when what it names is gone already.
    let names: [String]

    init(by manifest: Manifest, _ listing: StoreListing) {
        var names: [String] = []
        for generation in listing.manifestGenerations where generation < manifest.generation {
            names.append(StoreFileName.manifest(generation: generation).text)
        }
        for segment in listing.segments where segment < manifest.firstSegment {
            names.append(StoreFileName.segment(segment).text)
        }
        let kept = Set(manifest.checkpoints.map(\.number))
        for number in listing.checkpoints where !kept.contains(number) {
            names.append(StoreFileName.checkpoint(number: number).text)
        }
        self.names = names
    }

    /// Removes them and makes that durable. The manifest must be durable before.
    func remove(from fileSystem: any FileSystem) throws(FileSystemError) {
        guard !names.isEmpty else { return }
        for name in names { try fileSystem.removeIfPresent(name) }
        try fileSystem.synchronizeDirectory()
    }
}
