import Foundation
import VarveLog
import VarveTestSupport

/// Refuses reads of checkpoints, and notes which bytes were read and which reads were refused.
final class ImageReads: Sendable {
    private struct Course: Sendable {
        /// Numbers of reads of a file.
        var refusals: [String: Range<Int>] = [:]
        var counts: [String: Int] = [:]
        /// What was refused, and not read since.
        var refused: [String: Set<Range<UInt64>>] = [:]
        var ranges: [String: [Range<UInt64>]] = [:]
    }

    private let course = Lock(Course())

    /// Takes the place of the hook of a file system: from here on reads are counted and noted.
    func begin(in files: HookedFileSystem) {
        files.setHook { [self] operation, name, range throws(FileSystemError) in
            guard operation == .read, name.hasPrefix("checkpoint") else { return }
            let isRefused = course.withLock { course in
                let number = course.counts[name, default: 0]
                course.counts[name] = number + 1
                course.ranges[name, default: []].append(range)
                guard course.refusals[name]?.contains(number) ?? false else {
                    course.refused[name]?.remove(range)
                    return false
                }
                course.refused[name, default: []].insert(range)
                return true
            }
            if isRefused {
                throw FileSystemError(.read, file: name, reason: .system(code: EIO))
            }
        }
    }

    /// Refuses some reads of a file, by their number.
    func refuse(_ numbers: Range<Int>, of file: String) {
        course.withLock { $0.refusals[file] = numbers }
    }

    /// Whether bytes of the file were refused and not read since. What succeeds the next time needs no report.
    func hasRefused(_ file: String) -> Bool {
        course.withLock { !($0.refused[file]?.isEmpty ?? true) }
    }

    /// The first place of a file that was read although its bytes are not what was written; nil for none.
    func met(_ file: String, _ found: [UInt8], writtenAs written: [UInt8]) -> Int? {
        let ranges = course.withLock { $0.ranges[file] ?? [] }
        let length = min(found.count, written.count)
        return written.indices.first { place in
            (place >= length || found[place] != written[place])
                && ranges.contains { $0.contains(UInt64(place)) }
        }
    }
}
