/// What replay delivers, in the order of the log. Payload bytes are valid during the call only.
package enum LogRecord {
    /// The definitions at the head of a segment: what makes the segment readable alone.
    case catalog(payload: UnsafeRawBufferPointer)
    case transaction(LoggedTransaction)

    package var payload: UnsafeRawBufferPointer {
        switch self {
        case .catalog(let payload): payload
        case .transaction(let logged): logged.payload
        }
    }
}

/// One whole transaction, however many frames it takes. The payload's bytes are valid only during
/// the call that delivers it.
package struct LoggedTransaction {
    package let sequence: LogSequence
    /// As its writer gave it.
    package let time: Int64
    /// Where its first frame lies.
    package let location: FrameLocation
    /// Its frames as they lie in the file: headers, stored bytes and padding.
    package let storedBytes: ByteCount
    /// Of the header of its first frame: it covers what the frame says, its place and its log.
    package let headerChecksum: UInt32
    package let payload: UnsafeRawBufferPointer
}

/// Why a walk over the log ended early: the log, or the one it was delivered to.
package enum ReplayFailure<Consumer: Error>: Error {
    case log(LogError)
    case consumer(Consumer)
}

extension ReplayFailure {
    /// Runs the log's part of a delivery.
    @inline(__always)
    static func onLog<Result>(
        _ body: () throws(LogError) -> Result
    ) throws(ReplayFailure) -> Result {
        do throws(LogError) {
            return try body()
        } catch {
            throw .log(error)
        }
    }

    /// Runs the consumer's part of a delivery.
    @inline(__always)
    static func onConsumer<Result>(
        _ body: () throws(Consumer) -> Result
    ) throws(ReplayFailure) -> Result {
        do throws(Consumer) {
            return try body()
        } catch {
            throw .consumer(error)
        }
    }
}
