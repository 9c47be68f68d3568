import AptGraphInput

/// Makes random stanzas, and writes them as Debian does, from a seed (SplitMix64).
struct StanzaGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    // MARK: Values

    mutating func stanza(line: Int) -> PackageStanza {
        PackageStanza(
            name: packageName(),
            version: version(),
            architecture: pick(["amd64", "all", "arm64"]),
            section: maybe { $0.pick(["net", "contrib/games", "libs"]) },
            priority: maybe { $0.pick(["optional", "required"]) },
            maintainer: maybe { $0.maintainer() },
            source: maybe { $0.sourcePackage() },
            installedKibibytes: maybe { .random(in: 0 ... .max, using: &$0) },
            downloadBytes: maybe { .random(in: 0...90_000_000, using: &$0) },
            homepage: maybe { "https://example.org/" + $0.packageName() + "?a:b" },
            summary: maybe { $0.words() },
            filename: maybe { "pool/main/" + $0.packageName() + ".deb" },
            sha256: maybe { String($0.next(), radix: 16) },
            dependencies: dependencies(),
            provides: provisions(),
            isRemoved: flip(),
            line: line)
    }

    mutating func packageName() -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789+-.")
        let first = String(pick(Array(alphabet.prefix(36))))
        return (0..<Int.random(in: 0...20, using: &self)).reduce(into: first) { name, _ in
            name.append(pick(alphabet))
        }
    }

    mutating func version() -> String {
        pick(["", "1:"]) + "\(Int.random(in: 0...99, using: &self)).\(next() % 10)"
            + pick(["", "~rc1", "+dfsg-1", "-2ubuntu3"])
    }

    private mutating func maintainer() -> PackageMaintainer {
        PackageMaintainer(
            name: words(), email: maybe { $0.packageName() + "@lists.example.org" })
    }

    private mutating func sourcePackage() -> SourcePackage {
        SourcePackage(name: packageName(), version: maybe { $0.version() })
    }

    private mutating func words() -> String {
        let vocabulary = ["library", "für", "Ørsted", "日本語", "🦊", "a:b", "(x)", "<y", "é", "."]
        return (0...Int.random(in: 0...6, using: &self)).map { _ in pick(vocabulary) }
            .joined(separator: " ")
    }

    private mutating func dependencies() -> [DependencyGroup] {
        var groups: [DependencyGroup] = []
        for kind in DependencyKind.allCases where flip() {
            for _ in 0...Int.random(in: 0...4, using: &self) {
                let alternatives = (0...Int.random(in: 0...2, using: &self)).map { _ in
                    dependency()
                }
                groups.append(DependencyGroup(kind: kind, alternatives: alternatives))
            }
        }
        return groups
    }

    private mutating func dependency() -> Dependency {
        Dependency(
            name: packageName(),
            architectureQualifier: maybe { $0.pick(["any", "amd64"]) },
            constraint: maybe {
                VersionConstraint($0.pick(VersionRelation.allCases), $0.version())
            },
            architectures: flip() ? [] : ["!i386", "amd64"])
    }

    private mutating func provisions() -> [Provision] {
        (0..<Int.random(in: 0...3, using: &self)).map { _ in
            Provision(name: packageName(), version: maybe { $0.version() })
        }
    }

    // MARK: Text

    /// The stanza as text, fields shuffled, with fields between them that are passed over.
    mutating func text(of stanza: PackageStanza) -> String {
        var fields = ["Package: \(stanza.name)", "Version: \(stanza.version)"]
        fields.append("Architecture: \(stanza.architecture)")
        fields += plainFields(of: stanza)
        fields += relationFields(of: stanza)
        fields.append("Tag: role::program,\n scope::utility, works-with::text")
        fields.append("Multi-Arch: same")
        fields.shuffle(using: &self)
        return fields.joined(separator: "\n") + "\n"
    }

    private mutating func plainFields(of stanza: PackageStanza) -> [String] {
        var fields: [String] = []
        func add(_ name: String, _ value: String?) {
            if let value { fields.append("\(name): \(value)") }
        }
        add("Section", stanza.section)
        add("Priority", stanza.priority)
        add("Maintainer", stanza.maintainer.map { $0.name + ($0.email.map { " <\($0)>" } ?? "") })
        add("Source", stanza.source.map { $0.name + ($0.version.map { " (\($0))" } ?? "") })
        add("Installed-Size", stanza.installedKibibytes.map { "\($0)" })
        add("SIZE", stanza.downloadBytes.map { "\($0)" })
        add("Homepage", stanza.homepage)
        add("Description", stanza.summary.map { $0 + "\n More about it.\n .\n And more." })
        add("Filename", stanza.filename)
        add("sha256", stanza.sha256)
        add("Status", stanza.isRemoved ? "deinstall ok config-files" : nil)
        return fields
    }

    private mutating func relationFields(of stanza: PackageStanza) -> [String] {
        var fields: [String] = []
        for kind in DependencyKind.allCases {
            let groups = stanza.groups(kind).map { group in
                group.alternatives.map { text(of: $0) }.joined(separator: flip() ? " | " : "|")
            }
            if groups.isEmpty { continue }
            fields.append(kind.rawValue + ": " + groups.joined(separator: flip() ? ", " : ",\n  "))
        }
        if !stanza.provides.isEmpty {
            let provides = stanza.provides.map { $0.name + ($0.version.map { " (= \($0))" } ?? "") }
            fields.append("Provides: " + provides.joined(separator: ", "))
        }
        return fields
    }

    private mutating func text(of dependency: Dependency) -> String {
        var text = dependency.name
        if let qualifier = dependency.architectureQualifier { text += ":" + qualifier }
        if let constraint = dependency.constraint {
            let space = flip() ? " " : ""
            text += " (\(constraint.relation.rawValue)\(space)\(constraint.version))"
        }
        if !dependency.architectures.isEmpty {
            text += " [" + dependency.architectures.joined(separator: " ") + "]"
        }
        return text
    }

    // MARK: Choices

    private mutating func flip() -> Bool { next() & 1 == 0 }

    private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
        flip() ? make(&self) : nil
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int(next() % UInt64(values.count))]
    }
}
