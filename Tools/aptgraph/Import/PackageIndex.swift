import AptGraphInput

/// What several index files say together: each package once, in its newest version.
struct PackageIndex: Sendable {
    /// A stanza that was skipped, and where.
    struct Problem: Sendable {
        var path: String
        var problem: StanzaProblem
    }

    let naming: PackageNaming
    /// In the order in which the packages were first met.
    private(set) var stanzas: [PackageStanza] = []
    private(set) var problems: [Problem] = []
    private var positions: [String: Int] = [:]

    init(naming: PackageNaming) {
        self.naming = naming
    }

    /// Reads files in the order given.
    ///
    /// Of two equal versions the one that is met first stays, so the result depends on the files
    /// and their order alone.
    ///
    /// - Parameter progress: is told the part of all bytes that was read, 0 to 1.
    mutating func read(
        _ files: [PackagesFile], progress: (Double) -> Void
    ) throws(PackagesError) {
        let bytesTotal = files.reduce(0) { $0 + $1.byteCount }
        var bytesBefore: Int64 = 0
        for file in files {
            let reader = try PackagesReader(path: file.path)
            var count = 0
            while let entry = try reader.next() {
                add(entry, from: file.path)
                count += 1
                if count.isMultiple(of: 500) {
                    let bytes = bytesBefore + reader.progress.bytesRead
                    progress(Double(bytes) / Double(max(bytesTotal, 1)))
                }
            }
            bytesBefore += file.byteCount
        }
    }

    mutating func add(_ entry: PackagesReader.Entry, from path: String) {
        switch entry {
        case .problem(let problem): problems.append(Problem(path: path, problem: problem))
        // What a removed package left behind is no package.
        case .stanza(let stanza): if !stanza.isRemoved { add(stanza) }
        }
    }

    private mutating func add(_ stanza: PackageStanza) {
        let id = naming.id(of: stanza.name, architecture: stanza.architecture)
        if let position = positions[id] {
            let isNewer =
                DebianVersion(stanzas[position].version) < DebianVersion(stanza.version)
            if isNewer { stanzas[position] = stanza }
        } else {
            positions[id] = stanzas.count
            stanzas.append(stanza)
        }
    }

    /// The id that a package's relation means by a name.
    ///
    /// A name means a package of the same architecture; where there is none, the native one.
    func id(
        of name: String, qualifier: String?, namedBy architecture: String
    ) -> String {
        guard let qualifier else {
            guard naming.isForeign(architecture) else { return name }
            let id = naming.id(of: name, architecture: architecture)
            return positions[id] == nil ? name : id
        }
        return naming.id(of: name, architecture: qualifier)
    }
}
