import AptGraphInput
import Testing

@Suite("Reading stanzas")
struct ReadingTests {
    @Test("Every field that is kept comes out as the stanza says it")
    func allFields() throws {
        let text = """
            Package: mutt
            Source: mutt-src (2.2.12-0.1)
            Version: 2.2.12-0.1~deb12u1
            Installed-Size: 7104
            Maintainer: Mutt maintainers <mutt@packages.debian.org>
            Architecture: amd64
            Provides: imap-client, mail-reader (= 2)
            Depends: libc6 (>= 2.34), default-mta | mail-transport-agent
            Recommends: locales
            Conflicts: mutt-kz
            Description: text-based mailreader
             Mutt is a sophisticated mail reader.
             .
             It is small.
            Description-md5: abc
            Homepage: https://www.mutt.org/
            Section: mail
            Priority: optional
            Filename: pool/main/m/mutt/mutt_2.2.12_amd64.deb
            Size: 1619224
            SHA256: 00ff

            """
        let expected = PackageStanza(
            name: "mutt", version: "2.2.12-0.1~deb12u1", architecture: "amd64", section: "mail",
            priority: "optional",
            maintainer: PackageMaintainer(
                name: "Mutt maintainers", email: "mutt@packages.debian.org"),
            source: SourcePackage(name: "mutt-src", version: "2.2.12-0.1"),
            installedKibibytes: 7104, downloadBytes: 1_619_224, homepage: "https://www.mutt.org/",
            summary: "text-based mailreader", filename: "pool/main/m/mutt/mutt_2.2.12_amd64.deb",
            sha256: "00ff",
            dependencies: [
                DependencyGroup(
                    kind: .depends,
                    alternatives: [
                        Dependency(
                            name: "libc6", constraint: VersionConstraint(.laterOrEqual, "2.34"))
                    ]),
                DependencyGroup(
                    kind: .depends,
                    alternatives: [
                        Dependency(name: "default-mta"), Dependency(name: "mail-transport-agent"),
                    ]),
                DependencyGroup(kind: .recommends, alternatives: [Dependency(name: "locales")]),
                DependencyGroup(kind: .conflicts, alternatives: [Dependency(name: "mutt-kz")]),
            ],
            provides: [
                Provision(name: "imap-client"), Provision(name: "mail-reader", version: "2"),
            ]
        )
        #expect(try entries(of: text) == [.stanza(expected)])
        #expect(expected.groups(.depends).count == 2)
        #expect(expected.groups(.breaks).isEmpty)
    }

    @Test("Field names count in any case, and a maintainer without an address is a name")
    func caseOfNames() throws {
        let stanza = try #require(
            try stanzas(of: "PACKAGE: a\nversion:1\nArchitecture: all\nmaintainer: Jo").first)
        #expect(stanza.name == "a")
        #expect(stanza.version == "1")
        #expect(stanza.maintainer == PackageMaintainer(name: "Jo"))
    }

    @Test("Optional fields that are absent or empty are nil")
    func emptyFields() throws {
        let stanza = try #require(
            try stanzas(
                of: "Package: a\nVersion: 1\nArchitecture: all\nSection:\nDepends: \nSize:\n"
            ).first)
        #expect(stanza == PackageStanza(name: "a", version: "1", architecture: "all"))
    }

    @Test("Blank lines separate stanzas, however many, and lines count from 1")
    func lineNumbers() throws {
        let text = "\n\n" + minimal("a") + "\n\n\n" + minimal("b") + "\n" + minimal("c")
        let stanzas = try stanzas(of: text)
        #expect(stanzas.map(\.name) == ["a", "b", "c"])
        #expect(stanzas.map(\.line) == [3, 9, 13])
    }

    @Test("Lines that end in carriage return and newline read the same")
    func carriageReturns() throws {
        let text = (minimal("a") + "Depends: b,\n c\n\n" + minimal("d"))
        let windows = text.replacing("\n", with: "\r\n")
        #expect(try entries(of: windows) == entries(of: text))
    }

    @Test("An empty file, and one of blank lines only, has no stanzas")
    func emptyFile() throws {
        #expect(try entries(of: "").isEmpty)
        #expect(try entries(of: "\n\n\r\n\n").isEmpty)
    }

    @Test("A status entry of a package that is gone says so")
    func removedPackages() throws {
        let statuses = [
            "install ok installed": false, "deinstall ok config-files": true,
            "purge ok not-installed": true, "hold ok half-configured": false,
        ]
        for (status, isRemoved) in statuses {
            let stanza = try stanzas(of: minimal("a") + "Status: \(status)\n").first
            #expect(stanza?.isRemoved == isRemoved, "\(status)")
        }
    }

    @Test(
        "A generated stanza reads back as itself, whatever pieces the bytes come in",
        arguments: [1, 2, 3, 4] as [UInt64])
    func roundTrip(seed: UInt64) throws {
        var generator = StanzaGenerator(seed: seed)
        var expected: [PackagesReader.Entry] = []
        var text = ""
        for _ in 0..<200 {
            let line = text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) + 1
            let stanza = generator.stanza(line: line)
            expected.append(.stanza(stanza))
            text += generator.text(of: stanza) + "\n"
        }
        #expect(try entries(of: text) == expected, "seed \(seed)")
        let pieces = PieceSource(Array(text.utf8), pieceBytesMax: 700, seed: seed)
        #expect(try entries(of: pieces) == expected, "seed \(seed)")
    }
}
