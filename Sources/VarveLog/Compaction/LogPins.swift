/// What must not be dropped: transactions that somebody is reading, and the floor below which
/// nothing can be asked for any more. Shared by the log, its compaction and its readers.
package final class LogPins: Sendable {
    private struct State: Sendable {
        var floor: LogSequence
        var pins: [UInt64: LogSequence] = [:]
        var nextPin: UInt64 = 0
    }

    private let state: Lock<State>

    init(floor: LogSequence) { state = Lock(State(floor: floor)) }

    /// The oldest transaction that is answered for.
    package var floor: LogSequence { state.withLock { $0.floor } }

    /// Keeps everything from a transaction on, as long as the pin lives.
    ///
    /// Errors: `.belowFloor` when it may be gone already.
    package func pin(_ sequence: LogSequence) throws(LogError) -> LogPin {
        let number = try state.withLock { state throws(LogError) in
            guard sequence >= state.floor else {
                throw .belowFloor(sequence, floor: state.floor)
            }
            state.nextPin += 1
            state.pins[state.nextPin] = sequence
            return state.nextPin
        }
        return LogPin(number, at: sequence, of: self)
    }

    /// Keeps everything that is answered for at this moment, as long as the pin lives.
    package func pinFloor() -> LogPin {
        let (number, floor) = state.withLock { state in
            state.nextPin += 1
            state.pins[state.nextPin] = state.floor
            return (state.nextPin, state.floor)
        }
        return LogPin(number, at: floor, of: self)
    }

    /// Raises the floor to `wanted`, or as far as the pins let it. It never goes down. Returns the
    /// floor before and now.
    func raiseFloor(to wanted: LogSequence) -> (before: LogSequence, now: LogSequence) {
        state.withLock { state in
            let before = state.floor
            let bound = state.pins.values.min() ?? wanted
            state.floor = max(before, min(wanted, bound))
            return (before, state.floor)
        }
    }

    /// The log was taken up again, and whoever wrote it meanwhile knew of no pin here: what is below
    /// the floor of its manifest is gone.
    func takeOver(floor: LogSequence) {
        state.withLock { $0.floor = max($0.floor, floor) }
    }

    /// Takes a raised floor back: what it gave up is still there.
    func restoreFloor(_ floor: LogSequence) {
        state.withLock { $0.floor = floor }
    }

    fileprivate func release(_ number: UInt64) {
        state.withLock { $0.pins[number] = nil }
    }
}

/// Keeps transactions from being dropped as long as it lives.
package final class LogPin: Sendable {
    /// The oldest transaction that it keeps.
    package let sequence: LogSequence
    private let pins: LogPins
    private let number: UInt64

    fileprivate init(_ number: UInt64, at sequence: LogSequence, of pins: LogPins) {
        self.sequence = sequence
        self.number = number
        self.pins = pins
    }

    deinit { pins.release(number) }
}
