/// The commands, and what `--help` says of them.
enum CommandName: String, CaseIterable, Sendable {
    case `import`, show, why, rdepends, find, remove, restore, stats

    var operands: String {
        switch self {
        case .import: "[FILE…]"
        case .show, .rdepends, .remove, .restore: "NAME"
        case .why: "FROM TO"
        case .find: "WORD…"
        case .stats: ""
        }
    }

    /// How many operands there may be.
    var operandCount: ClosedRange<Int> {
        switch self {
        case .import: 0...Int.max
        case .show, .rdepends, .remove, .restore: 1...1
        case .why: 2...2
        case .find: 1...Int.max
        case .stats: 0...0
        }
    }

    var summary: String {
        switch self {
        case .import: "bring package indexes into the store"
        case .show: "what the store knows of one package"
        case .why: "the shortest way of dependencies between two packages"
        case .rdepends: "the packages that need or would like to have one"
        case .find: "the packages whose name or summary has all the words"
        case .remove: "delete a package, with its links"
        case .restore: "bring a removed package and its links back"
        case .stats: "how much the store holds"
        }
    }

    var details: String {
        switch self {
        case .import:
            """
            Reads Debian package indexes, plain or compressed with lz4: the FILEs, or
            else the lists that apt keeps in /var/lib/apt/lists, or else
            /var/lib/dpkg/status. Of a package that several files have, the newest
            version is taken. The store is created where there is none.

            What the index says replaces what the store holds, 1,000 packages to a
            transaction; packages that are not in the index stay. Where nothing is new,
            nothing is written. All is durable when the command ends; when it is
            interrupted, import again.

            A malformed stanza is reported with its line and skipped; the exit status is
            then 3.

              --architecture=ARCH  the architecture whose packages go by their names
                                   alone; those of others are called NAME:ARCH
                                   (default: this machine's)
            """
        case .show:
            "NAME may be a virtual package: then the packages that provide it are shown."
        case .why:
            """
            Follows Pre-Depends and Depends, every alternative of them, and from a virtual
            package to those that provide it. The exit status is 1 when no way leads there.
            """
        case .rdepends:
            "NAME may be a virtual package, or one that is named only by others."
        case .find:
            """
            Words are compared without regard to case and match anywhere. Packages whose
            name has the words come first. The exit status is 1 when none is found.
            """
        case .remove:
            """
            The package can be restored; an import that has it in its index brings it
            back, too.
            """
        case .restore:
            "Links come back on both sides; in the lists of others they stand last."
        case .stats:
            "Counts packages, links and transactions, and names the most needed packages."
        }
    }
}
