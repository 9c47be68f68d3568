import Foundation

/// What the operating system says about this process and its files.
enum Measurement {
    /// The most memory that this process held at once, in bytes.
    static var peakBytes: Int64 {
        var usage = rusage()
        guard getrusage(RUSAGE_SELF, &usage) == 0 else { return 0 }
        #if canImport(Darwin)
            return Int64(usage.ru_maxrss)
        #else
            // Linux counts KiB where macOS counts bytes.
            return Int64(usage.ru_maxrss) * 1024
        #endif
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
