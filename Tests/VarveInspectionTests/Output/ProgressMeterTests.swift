import Foundation
import Testing
import VarveInspection

@testable import VarveTool

@Suite("Progress")
struct ProgressMeterTests {
    /// A clock that the test moves.
    private final class Clock: @unchecked Sendable {
        // Guarded by the lock: a thread that reads ahead asks as well.
        private let lock = NSLock()
        private var time = Duration.zero
        private let step: Duration

        init(step: Duration = .zero) { self.step = step }

        func advance(_ duration: Duration) { lock.withLock { time += duration } }

        func elapsed() -> Duration {
            lock.withLock {
                time += step
                return time
            }
        }
    }

    private func meter(_ sink: MemorySink, _ clock: Clock, width: Int? = 60) -> ProgressMeter {
        ProgressMeter(output: sink, width: width, elapsed: { clock.elapsed() })
    }

    @Test("Nothing is said within the first second, and then no more than five times a second")
    func patience() {
        let (sink, clock) = (MemorySink(), Clock())
        let meter = meter(sink, clock)
        for _ in 0..<10 {
            clock.advance(.milliseconds(100))
            meter.read(ByteCount(1 << 20))
        }
        #expect(sink.text.isEmpty)
        clock.advance(.milliseconds(100))
        meter.read(ByteCount(1 << 20))
        #expect(sink.text == "\rvarve: 11.0 MiB read, 1 s\u{1B}[K")
        for _ in 0..<10 {
            clock.advance(.milliseconds(100))
            meter.read(ByteCount(1 << 20))
        }
        #expect(sink.text.split(separator: "\r").count == 6)
        meter.finish()
        #expect(sink.text.hasSuffix("21.0 MiB read, 2 s\u{1B}[K\r\u{1B}[K"))
        let before = sink.text
        clock.advance(.seconds(5))
        meter.read(ByteCount(1))
        meter.finish()
        #expect(sink.text == before)
    }

    @Test("What a command counts is shown instead of bytes, cut to the terminal")
    func counting() {
        let (sink, clock) = (MemorySink(), Clock())
        let meter = meter(sink, clock, width: 30)
        clock.advance(.seconds(2))
        meter.count("transactions searched", 2_500, of: 10_000)
        #expect(sink.text == "\rvarve: 25 %, 2,500 of 10,000…\u{1B}[K")
        clock.advance(.seconds(2))
        meter.count("rows", 1_234)
        #expect(sink.text.hasSuffix("\rvarve: 1,234 rows, 4 s\u{1B}[K"))
        meter.erase()
        meter.erase()
        #expect(sink.text.hasSuffix("rows, 4 s\u{1B}[K\r\u{1B}[K"))
    }

    @Test("A timer shows the seconds while nothing is read, and nothing once the command writes")
    func ticking() {
        let (sink, clock) = (MemorySink(), Clock())
        let meter = meter(sink, clock)
        clock.advance(.seconds(4))
        meter.tick()
        #expect(sink.text.isEmpty, "nothing was read yet")
        meter.count("lines read", 7)
        #expect(sink.text == "\rvarve: 7 lines read, 4 s\u{1B}[K")
        clock.advance(.seconds(1))
        meter.tick()
        #expect(sink.text.hasSuffix("\rvarve: 7 lines read, 5 s\u{1B}[K"))
        meter.erase()
        let before = sink.text
        clock.advance(.seconds(5))
        meter.tick()
        #expect(sink.text == before)
        meter.count("lines read", 8)
        #expect(sink.text.hasSuffix("8 lines read, 10 s\u{1B}[K"))
    }

    @Test("The timer runs until the end of the command")
    func timer() {
        /// Says when it is written to.
        final class Sink: OutputSink {
            let written = DispatchSemaphore(value: 0)
            func write(_ text: String) throws(OutputFailure) { written.signal() }
            func flush() throws(OutputFailure) {}
        }
        let (sink, clock) = (Sink(), Clock(step: .seconds(2)))
        let meter = ProgressMeter(output: sink, width: 60, elapsed: { clock.elapsed() })
        meter.count("lines read", 1)
        #expect(sink.written.wait(timeout: .now()) == .success)
        meter.startTicking()
        #expect(sink.written.wait(timeout: .now() + 60) == .success)
        meter.finish()
    }

    @Test("Reading a store shows on a terminal alone, and leaves nothing behind")
    func commands() throws {
        let store = try SampleStore.filled(segmentBytesMax: 600)
        for arguments in [["verify"], ["info"], ["cat"], ["query"], ["log"]] {
            let rest = ["cat": ["User"], "query": ["User"]][arguments[0]] ?? []
            for width in [nil, 80] {
                let (output, errors) = (MemorySink(), MemorySink())
                let clock = Clock(step: .milliseconds(300))
                let environment = ToolEnvironment(
                    output: output, errors: errors, now: ToolRun.now, errorsWidth: width,
                    elapsed: { clock.elapsed() })
                let status = Tool.run(arguments + [store.path] + rest, in: environment)
                #expect(status == .success)
                #expect(output.text == ToolRun(all: arguments + [store.path] + rest).output)
                #expect(errors.text.isEmpty == (width == nil), "\(arguments)")
                if width != nil {
                    #expect(errors.text.hasPrefix("\rvarve: "))
                    #expect(errors.text.hasSuffix("\r\u{1B}[K"))
                }
            }
        }
    }

    @Test("Copies, rescues and compactions are observed too")
    func observation() throws {
        let store = try SampleStore.filled()
        let other = { FileManager.default.temporaryDirectory.path + "/varve-seen-\(UUID())" }
        let (backup, rescued) = (other(), other())
        defer {
            for path in [backup, rescued] { try? FileManager.default.removeItem(atPath: path) }
        }
        for arguments in [
            ["backup", store.path, backup], ["salvage", store.path, "--to", rescued],
            ["undo", "--force", store.path], ["compact", store.path],
        ] {
            let (errors, clock) = (MemorySink(), Clock(step: .seconds(1)))
            let environment = ToolEnvironment(
                output: MemorySink(), errors: errors, now: ToolRun.now, errorsWidth: 80,
                elapsed: { clock.elapsed() })
            #expect(Tool.run(arguments, in: environment) == .success, "\(arguments)")
            #expect(errors.text.contains(" read, "), "\(arguments)")
        }
    }

    @Test("A command that goes on until it is interrupted shows no progress")
    func live() throws {
        let store = try SampleStore.filled()
        let (errors, clock) = (MemorySink(), Clock(step: .seconds(1)))
        let environment = ToolEnvironment(
            output: MemorySink(), errors: errors, now: ToolRun.now, errorsWidth: 80,
            elapsed: { clock.elapsed() })
        #expect(Tool.run(["follow", store.path], in: environment) == .success)
        #expect(errors.text.isEmpty)
    }
}
