internal import CVarve

/// Releases loaded entities that hold others, without recursing by how deep they are loaded.
///
/// A reference count that falls to zero releases what the object holds, which recurses: a list of a million entities
/// that hold one another would need a stack of hundreds of megabytes. So a few levels are released in place, and what
/// is below them waits until those are gone.
enum NestedRelease {
    /// How many levels are released inside one another.
    private static var depthLimit: Int32 { 16 }

    /// What waits on one thread.
    private final class Waiting {
        var values: [Any] = []
    }

    /// Releases what `value` holds, now or when the thread is done with what is around it.
    ///
    /// - Parameter empty: puts something in its place that holds nothing.
    static func perform<Value>(_ value: inout Value, _ empty: (inout Value) -> Void) {
        guard let thread = varve_release_of_thread() else { return }
        guard thread.pointee.depth < depthLimit else {
            waiting(on: thread).values.append(value)
            return empty(&value)
        }
        thread.pointee.depth += 1
        empty(&value)
        if thread.pointee.depth == 1, thread.pointee.waiting != nil { releaseWaiting(on: thread) }
        thread.pointee.depth -= 1
    }

    private static func waiting(on thread: UnsafeMutablePointer<varve_release>) -> Waiting {
        if let waiting = thread.pointee.waiting {
            return Unmanaged<Waiting>.fromOpaque(waiting).takeUnretainedValue()
        }
        let waiting = Waiting()
        thread.pointee.waiting = Unmanaged.passRetained(waiting).toOpaque()
        return waiting
    }

    /// Releases one value after the other, and what comes to wait meanwhile.
    private static func releaseWaiting(on thread: UnsafeMutablePointer<varve_release>) {
        let waiting = waiting(on: thread)
        while let value = waiting.values.popLast() { withExtendedLifetime(value) {} }
        thread.pointee.waiting = nil
        Unmanaged.passUnretained(waiting).release()
    }
}
