import Foundation

/// What the operating system counts of this process, and of a directory.
enum ProcessFigures {
    /// Bytes of memory that are resident.
    static var residentBytes: Double {
        value("VmRSS:", in: "/proc/self/status") * 1024
    }

    /// Bytes that this process caused to be written to the storage, pages of maps included.
    static var bytesWritten: Double { value("write_bytes:", in: "/proc/self/io") }

    /// The time that all threads of this process have computed, in the system's calls too.
    static var processorSeconds: Double {
        var time = timespec()
        precondition(
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0, "no clock of the process's time")
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    private static func value(_ name: String, in file: String) -> Double {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return .nan }
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            let number = line.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first
            return number.flatMap { Double($0) } ?? .nan
        }
        return .nan
    }

    /// What the files of a directory occupy; holes do not count.
    static func allocatedBytes(of directory: URL) -> Double {
        let files = FileManager.default.enumerator(atPath: directory.path)
        var bytes = 0.0
        while let name = files?.nextObject() as? String {
            var status = stat()
            guard lstat(directory.appending(path: name).path, &status) == 0 else { continue }
            bytes += Double(status.st_blocks) * 512
        }
        return bytes
    }
}
