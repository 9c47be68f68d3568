import Foundation

/// Runs the body on a thread with little stack, 512 KiB as those of dispatch queues have, and waits for its end.
package func onSmallStack<Value: Sendable>(
    kibibytes: Int = 512, _ body: @escaping @Sendable () throws -> Value
) throws -> Value {
    let run = SmallStackRun<Value>()
    let thread = Thread {
        run.result = Result { try body() }
        run.isDone.signal()
    }
    thread.stackSize = kibibytes << 10
    thread.start()
    run.isDone.wait()
    guard let result = run.result else { preconditionFailure("the thread ended without a result") }
    return try result.get()
}

// Written by one thread before the signal, read by the other one behind it.
private final class SmallStackRun<Value: Sendable>: @unchecked Sendable {
    var result: Result<Value, any Error>?
    let isDone = DispatchSemaphore(value: 0)
}
