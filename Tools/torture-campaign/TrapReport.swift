import Foundation

/// Says what each thread was doing when the program trapped: the one failure that cannot be caught.
enum TrapReport {
    private static let length = 512
    private static let threadsMax = 64
    /// Unsafe: a signal handler may only read memory that is there already. Each thread writes its
    /// own part, and a torn text is no harm.
    private nonisolated(unsafe) static let texts: UnsafeMutablePointer<CChar> = {
        let texts = UnsafeMutablePointer<CChar>.allocate(capacity: length * threadsMax)
        texts.initialize(repeating: 0, count: length * threadsMax)
        return texts
    }()

    static func install() {
        _ = texts
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
            signal(number) { _ in TrapReport.write() }
        }
    }

    static func note(_ text: String, thread: Int) {
        let start = texts + length * (thread % threadsMax)
        var position = 0
        for byte in text.utf8.prefix(length - 2) {
            start[position] = CChar(bitPattern: byte)
            position += 1
        }
        start[position] = 10
        start[position + 1] = 0
    }

    private static func write() {
        let title: StaticString = "VIOLATION: the program trapped; the threads were at:\n"
        _ = Foundation.write(2, title.utf8Start, title.utf8CodeUnitCount)
        for thread in 0..<threadsMax {
            let text = texts + length * thread
            if text[0] != 0 { _ = Foundation.write(2, text, strlen(text)) }
        }
        _exit(139)
    }
}
