import Foundation

/// What the system says of a descriptor that may be a terminal.
enum Terminal {
    /// A write to standard output that failed.
    enum WriteError: Error {
        /// The reader closed the pipe, which is its right.
        case closed
        case failed(code: Int32)
    }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Colours can be refused by the two variables that programs agree on.
    static var permitsColour: Bool {
        let environment = ProcessInfo.processInfo.environment
        return (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    static func write(_ text: String, to descriptor: Int32) throws(WriteError) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw errno == EPIPE ? .closed : .failed(code: errno)
            }
            bytes = bytes.dropFirst(count)
        }
    }
}
