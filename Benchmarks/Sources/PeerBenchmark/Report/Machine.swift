import CLMDB
import CLevelDB
import CSQLite
import Foundation

/// On what, and with what, a comparison ran.
struct Machine: Codable {
    let date: String
    let processor: String
    let cores: Int
    let memoryGiB: Int
    let system: String
    let swift: String
    /// The newest commit of the sources.
    let revision: String
    let versions: [EngineName: String]

    static func this() -> Machine {
        Machine(
            date: Date().formatted(.iso8601.year().month().day()),
            processor: value("model name", in: "/proc/cpuinfo") ?? "unknown processor",
            cores: ProcessInfo.processInfo.activeProcessorCount,
            memoryGiB: Int(
                (Double(ProcessInfo.processInfo.physicalMemory) / Double(1 << 30)).rounded()),
            system: "Linux " + output("uname", "-r"),
            swift: output("swift", "--version").split(separator: "\n").first {
                $0.contains("version")
            }
            .map { line in
                line.drop { !$0.isNumber }.prefix { !$0.isWhitespace }.description
            } ?? "unknown",
            revision: output("git", "-C", folder, "rev-parse", "--short", "HEAD"),
            versions: [
                .sqlite: String(cString: sqlite3_libversion()),
                .lmdb: "\(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH)",
                .leveldb: "\(leveldb_major_version()).\(leveldb_minor_version())",
                .rocksdb: output("dpkg-query", "-W", "-f", "${Version}", "librocksdb-dev"),
            ])
    }

    var text: String {
        "\(date), \(processor), \(cores) cores, \(memoryGiB) GiB, \(system); Swift \(swift), "
            + "commit \(revision); "
            + EngineName.all.compactMap { name in versions[name].map { "\(name.title) \($0)" } }
            .joined(separator: ", ")
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().path

    private static func value(_ key: String, in file: String) -> String? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
        return line?.split(separator: ":").last.map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    /// What a command prints; that it is not there is no reason to measure nothing.
    private static func output(_ command: String...) -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return "unknown" }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(
            in: .whitespacesAndNewlines)
        return process.terminationStatus == 0 && !text.isEmpty ? text : "unknown"
    }
}
