import AptGraphInput
import Varve

/// Turns the stanzas of an index into entities, a transaction's worth at a time.
///
/// An actor, so that the next batch is made on another core while one is being written.
actor PackageBatches {
    /// What one transaction saves. Entities that packages share are in the first batch that needs
    /// them, and in no other.
    struct Batch: Sendable {
        /// Positions of the packages in the index.
        var range: Range<Int>
        var sections: [Section] = []
        var maintainers: [Maintainer] = []
        var sources: [Source] = []
        var virtualPackages: [VirtualPackage] = []
        var packages: [Package] = []
        /// Links to packages that packages need or would like to have.
        var dependencyCount = 0
    }

    static let packagesMax = 1_000

    private let index: PackageIndex
    private var next = 0
    private var knownSections: Set<String> = []
    private var knownMaintainers: Set<String> = []
    private var knownSources: Set<String> = []
    private var knownVirtualPackages: Set<String> = []

    init(_ index: PackageIndex) {
        self.index = index
    }

    func nextBatch() -> Batch? {
        guard next < index.stanzas.count else { return nil }
        let end = min(next + Self.packagesMax, index.stanzas.count)
        var batch = Batch(range: next..<end)
        batch.packages.reserveCapacity(batch.range.count)
        for stanza in index.stanzas[batch.range] { add(stanza, to: &batch) }
        next = end
        return batch
    }

    private func add(_ stanza: PackageStanza, to batch: inout Batch) {
        let builder = PackageBuilder(stanza, in: index)
        batch.dependencyCount += builder.dependencyCount
        if let id = stanza.section, knownSections.insert(id).inserted {
            batch.sections.append(Section(id: id))
        }
        // Of the names that go with one address, the first in the index's order is taken.
        if let maintainer = builder.maintainer, knownMaintainers.insert(maintainer.id).inserted {
            batch.maintainers.append(maintainer)
        }
        if knownSources.insert(builder.sourceID).inserted {
            batch.sources.append(Source(id: builder.sourceID))
        }
        for id in builder.providedIDs where knownVirtualPackages.insert(id).inserted {
            batch.virtualPackages.append(VirtualPackage(id: id))
        }
        batch.packages.append(builder.package())
    }
}

extension PackageBatches.Batch {
    var label: String { "Import packages \(range.lowerBound + 1)-\(range.upperBound)" }

    /// Saves everything. What the context holds already, byte for byte, changes nothing.
    func save(to context: inout Context) throws {
        for section in sections { try section.save(to: &context) }
        for maintainer in maintainers { try maintainer.save(to: &context) }
        for source in sources { try source.save(to: &context) }
        for virtualPackage in virtualPackages { try virtualPackage.save(to: &context) }
        for package in packages { try package.save(to: &context) }
    }
}
