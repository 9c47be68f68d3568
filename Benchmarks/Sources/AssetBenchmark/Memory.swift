import Foundation
import Synchronization

/// The memory of this process.
enum Memory {
    /// The most that was resident since the process began, or since ``resetPeak()``.
    static var peakMegabytes: Double {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let digits = line?.filter(\.isNumber)
        return digits.flatMap { Double($0) }.map { $0 * 1_024 / 1e6 } ?? .nan
    }

    /// The greatest peak that was begun again.
    private static let formerPeak = Mutex(0.0)

    /// The most that was resident since the process began.
    static var peakOfProcess: Double { max(peakMegabytes, formerPeak.withLock { $0 }) }

    /// Begins the peak again with what is resident now.
    static func resetPeak() throws {
        let peak = peakMegabytes
        formerPeak.withLock { $0 = max($0, peak) }
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }
}
