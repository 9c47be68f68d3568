import Foundation

/// Writes to an open file of the process, in large pieces.
final class FileSink: OutputSink {
    private static let capacity = 32 << 10

    private let descriptor: Int32
    private var pending: [UInt8] = []

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    func write(_ text: String) throws(OutputFailure) {
        pending.append(contentsOf: text.utf8)
        if pending.count >= Self.capacity { try flush() }
    }

    func flush() throws(OutputFailure) {
        var rest = pending[...]
        // What cannot be written now cannot be written later.
        defer { pending.removeAll(keepingCapacity: true) }
        while !rest.isEmpty {
            if Interruption.isDeferred { throw .interrupted }
            let count = rest.withUnsafeBytes { writeSome($0, to: descriptor) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw .closed
            } else if errno != EINTR {
                throw .failed(reason: String(cString: strerror(errno)))
            }
        }
    }
}

/// The system call, which inside the class would be taken for the method.
private func writeSome(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
