import Foundation

/// The packages that this machine's index describes: real data, with names and texts that nobody
/// made for a benchmark.
struct DebianIndex {
    struct Package {
        var name = ""
        var version = ""
        var section = ""
        var summary = ""
        /// All that one of `Depends` and `Pre-Depends` names, each once.
        var depends: [String] = []
    }

    /// Each name once, in the order of the index.
    let packages: [Package]

    /// Reads what apt downloaded; nil where this machine has no such index.
    static func ofThisMachine() throws -> DebianIndex? {
        let folder = "/var/lib/apt/lists/"
        guard FileManager.default.fileExists(atPath: folder) else { return nil }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.contains("_Packages") }
        guard !names.isEmpty else { return nil }
        var known: Set<String> = []
        var packages: [Package] = []
        for name in names.sorted() {
            for package in Self.packages(in: try contents(of: folder + name))
            where known.insert(package.name).inserted {
                packages.append(package)
            }
        }
        return packages.isEmpty ? nil : DebianIndex(packages: packages)
    }

    /// Plain text, however apt keeps its lists compressed.
    private static func contents(of path: String) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/lib/apt/apt-helper")
        process.arguments = ["cat-file", path]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw EngineError(.limit, "apt-helper cannot read \(path)")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Of the fields that are read: most lines need no second look.
    private static let initials = Array("PVSD".utf8)

    private static func packages(in text: String) -> [Package] {
        var packages: [Package] = []
        var package = Package()
        for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        {
            if line.isEmpty {
                if !package.name.isEmpty { packages.append(package) }
                package = Package()
            } else if let first = line.first, Self.initials.contains(first),
                let colon = line.firstIndex(of: UInt8(ascii: ":"))
            {
                package.set(String(Substring(line[..<colon])), line[line.index(after: colon)...])
            }
        }
        if !package.name.isEmpty { packages.append(package) }
        return packages
    }
}

extension DebianIndex.Package {
    fileprivate mutating func set(_ field: String, _ bytes: Substring.UTF8View) {
        func text() -> String { String(Substring(bytes)).trimmingCharacters(in: .whitespaces) }
        switch field {
        case "Package": name = text()
        case "Version": version = text()
        case "Section": section = text()
        case "Description": summary = text()
        case "Depends", "Pre-Depends": addDependencies(text())
        default: break
        }
    }

    /// `libc6 (>= 2.36), default-mta | mail-transport-agent`, with all alternatives.
    private mutating func addDependencies(_ text: String) {
        for alternative in text.split(whereSeparator: { $0 == "," || $0 == "|" }) {
            let name = alternative.drop(while: \.isWhitespace)
                .prefix { $0 != " " && $0 != "(" && $0 != ":" && $0 != "[" }
            if !name.isEmpty, !depends.contains(String(name)) { depends.append(String(name)) }
        }
    }
}
