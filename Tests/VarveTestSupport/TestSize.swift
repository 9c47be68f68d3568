import Foundation

/// How much a test does that repeats itself with other seeds: enough to find what is broken at each change, and more of
/// the same by night, where `VARVE_NIGHTLY` is 1.
public enum TestSize {
    public static let isNightly = ProcessInfo.processInfo.environment["VARVE_NIGHTLY"] == "1"

    public static func choose<Value>(_ usual: Value, nightly: Value) -> Value {
        isNightly ? nightly : usual
    }
}
