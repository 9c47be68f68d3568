import Foundation

/// What the operating system says about this process and its files.
enum Measurement {
    /// The most memory that this process held at once, in bytes.
    static var peakBytes: Int64 {
        #if os(Linux)
            return peakBytesFromStatus ?? 0
        #else
            var usage = rusage()
            return getrusage(RUSAGE_SELF, &usage) == 0 ? Int64(usage.ru_maxrss) : 0
        #endif
    }

    /// Linux's `getrusage` counts what the process was before it became this program, too.
    private static var peakBytesFromStatus: Int64? {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
        return kibibytes.flatMap { Int64($0) }.map { $0 * 1024 }
    }

    /// The length of all files in a directory, those of its directories included.
    static func byteCount(ofDirectory path: String) throws -> Int64 {
        var total: Int64 = 0
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
            total += (attributes[.size] as? NSNumber)?.int64Value ?? 0
        }
        return total
    }
}
