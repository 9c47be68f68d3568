internal import Foundation
internal import VarveEvents
internal import VarveLog

/// Reads a log some way ahead of the thread that applies it: reading, verifying, decompressing and finding a
/// transaction's parts take a thread of their own, so that the state that they change waits for none of it.
///
/// `@unchecked Sendable`: the batches wander between the two threads through the lock, and each is at one
/// end at a time.
package final class ReadAhead: @unchecked Sendable {
    /// A log that has fewer bytes to replay is read by the thread that applies it: there is little to gain.
    package static let bytesMin: UInt64 = 4 << 20
    /// How many batches are under way: one is filled, one taken, and the rest even out the speed.
    private static let batchCount = 4

    private struct Batches {
        var free: [ReadBatch] = []
        var filled: [ReadBatch] = []
        var isAbandoned = false
    }

    private let batches = Lock(Batches())
    private let freed = DispatchSemaphore(value: 0)
    private let filled = DispatchSemaphore(value: 0)

    init() {}

    /// Calls `body` with each record of the log behind `sequence`, in order, with everything verified on
    /// the way. Behind it nothing of the log is being read.
    ///
    /// - Parameter didTake: receives how many bytes were taken, from time to time.
    ///
    /// Of a snapshot, which holds no lock: the other thread releases it at any time behind this call.
    func forEach(
        of log: LogSnapshot, after sequence: LogSequence,
        _ body: (ReadRecord) throws(RecordError) -> Void,
        didTake: (Int) -> Void = { _ in }
    ) throws(ReplayFailure<RecordError>) {
        for _ in 0..<Self.batchCount { giveBack(ReadBatch()) }
        Thread.detachNewThread { [self] in read(log, after: sequence) }
        while true {
            let batch = takeFilled()
            do throws(RecordError) {
                for record in batch.records { try body(record) }
            } catch {
                abandon(from: batch)
                throw .consumer(error)
            }
            if let failure = batch.failure { throw failure }
            didTake(batch.byteCount)
            if batch.isLast { return }
            giveBack(batch)
        }
    }

    // MARK: Taking

    private func takeFilled() -> ReadBatch {
        filled.wait()
        return batches.withLock { $0.filled.removeFirst() }
    }

    private func giveBack(_ batch: ReadBatch) {
        batches.withLock { $0.free.append(batch) }
        freed.signal()
    }

    /// Ends the reading, and waits until it has ended.
    private func abandon(from batch: ReadBatch) {
        batches.withLock { $0.isAbandoned = true }
        var batch = batch
        while !batch.isLast {
            giveBack(batch)
            batch = takeFilled()
        }
    }

    // MARK: Reading

    private enum Stop: Error {
        case abandoned
        case record(RecordError)
    }

    private func read(_ log: LogSnapshot, after sequence: LogSequence) {
        var batch = takeFree()
        do throws(ReplayFailure<Stop>) {
            try log.replay(after: sequence) { record throws(Stop) in
                if !batch.hasRoom(for: record) { try exchange(&batch) }
                do throws(RecordError) {
                    try batch.append(record)
                } catch {
                    throw .record(error)
                }
            }
        } catch {
            switch error {
            case .log(let error): batch.failure = .log(error)
            case .consumer(.record(let error)): batch.failure = .consumer(error)
            case .consumer(.abandoned): break
            }
        }
        batch.isLast = true
        handOver(batch)
    }

    /// Hands a batch over for one that is empty.
    private func exchange(_ batch: inout ReadBatch) throws(Stop) {
        handOver(batch)
        batch = takeFree()
        if batches.withLock({ $0.isAbandoned }) { throw .abandoned }
    }

    /// Waits for a batch that was taken.
    private func takeFree() -> ReadBatch {
        freed.wait()
        let batch = batches.withLock { $0.free.removeLast() }
        batch.removeAll()
        return batch
    }

    private func handOver(_ batch: ReadBatch) {
        batches.withLock { $0.filled.append(batch) }
        filled.signal()
    }
}

/// A record whose parts were found.
enum ReadRecord {
    case catalog(UnsafeRawBufferPointer)
    case transaction(TransactionView, FrameLocation)
}

/// Records one behind the other, with the bytes that they lie in.
///
/// `@unchecked Sendable`: one thread has it at a time.
private final class ReadBatch: @unchecked Sendable {
    private static let byteCount = 1 << 20

    private(set) var records: [ReadRecord] = []
    /// Why there is no more behind the records.
    var failure: ReplayFailure<RecordError>?
    var isLast = false

    private var memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: ReadBatch.byteCount, alignment: 16)
    private var used = 0

    /// Of all its records.
    var byteCount: Int { used }

    deinit { memory.deallocate() }

    func removeAll() {
        records.removeAll(keepingCapacity: true)
        used = 0
    }

    /// An empty batch has room for a record of any size.
    func hasRoom(for record: LogRecord) -> Bool {
        records.isEmpty || record.payload.count <= memory.count - used
    }

    func append(_ record: LogRecord) throws(RecordError) {
        switch record {
        case .catalog(let payload): records.append(.catalog(copy(payload)))
        case .transaction(let logged):
            let view = try TransactionView(logged, at: copy(logged.payload))
            records.append(.transaction(view, logged.location))
        }
    }

    private func copy(_ payload: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if payload.count > memory.count - used {
            precondition(records.isEmpty, "records point into the memory that is replaced")
            memory.deallocate()
            memory = .allocate(byteCount: payload.count, alignment: 16)
        }
        let place = UnsafeMutableRawBufferPointer(
            rebasing: memory[used..<used + payload.count])
        place.copyMemory(from: payload)
        used += payload.count
        return UnsafeRawBufferPointer(place)
    }
}
