/// One package of one archive, as its stanza in a Debian `Packages` index describes it.
///
/// Only the fields that a graph of packages needs are kept; the rest of the stanza is passed over.
package struct PackageStanza: Hashable, Sendable {
    package var name: String
    package var version: String
    package var architecture: String
    package var section: String?
    package var priority: String?
    package var maintainer: PackageMaintainer?
    /// The source package that this one was built from; `nil` when it bears the same name and
    /// version.
    package var source: SourcePackage?
    /// Space on disk once installed, in KiB, as the archive estimates it.
    package var installedKibibytes: Int64?
    /// Size of the package file to download, in bytes.
    package var downloadBytes: Int64?
    package var homepage: String?
    /// The first line of the description.
    package var summary: String?
    /// Path of the package file in its archive.
    package var filename: String?
    /// SHA-256 of the package file, in hexadecimal digits as the index has them.
    package var sha256: String?
    /// All relations to other packages, ordered by kind and within a kind as written.
    package var dependencies: [DependencyGroup]
    /// Names that the package answers to besides its own.
    package var provides: [Provision]
    /// True for an entry of dpkg's status file that stands only for what a removed package left
    /// behind, such as its configuration files.
    package var isRemoved: Bool
    /// Line of the stanza's first field, counted from 1.
    package var line: Int

    package init(
        name: String, version: String, architecture: String, section: String? = nil,
        priority: String? = nil, maintainer: PackageMaintainer? = nil,
        source: SourcePackage? = nil, installedKibibytes: Int64? = nil,
        downloadBytes: Int64? = nil, homepage: String? = nil, summary: String? = nil,
        filename: String? = nil, sha256: String? = nil, dependencies: [DependencyGroup] = [],
        provides: [Provision] = [], isRemoved: Bool = false, line: Int = 1
    ) {
        self.name = name
        self.version = version
        self.architecture = architecture
        self.section = section
        self.priority = priority
        self.maintainer = maintainer
        self.source = source
        self.installedKibibytes = installedKibibytes
        self.downloadBytes = downloadBytes
        self.homepage = homepage
        self.summary = summary
        self.filename = filename
        self.sha256 = sha256
        self.dependencies = dependencies
        self.provides = provides
        self.isRemoved = isRemoved
        self.line = line
    }

    /// The groups of one kind, in the order in which the stanza names them.
    package func groups(_ kind: DependencyKind) -> [DependencyGroup] {
        dependencies.filter { $0.kind == kind }
    }
}

/// Who answers for a package: `Name <address>`.
package struct PackageMaintainer: Hashable, Sendable {
    package var name: String
    package var email: String?

    package init(name: String, email: String? = nil) {
        self.name = name
        self.email = email
    }
}

/// The source package of a binary package; the version stands only where it differs.
package struct SourcePackage: Hashable, Sendable {
    package var name: String
    package var version: String?

    package init(name: String, version: String? = nil) {
        self.name = name
        self.version = version
    }
}
