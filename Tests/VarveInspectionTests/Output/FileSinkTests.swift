import Foundation
import Testing

@testable import VarveTool

@Suite("Output of the process")
struct FileSinkTests {
    @Test("A large text arrives whole")
    func writing() throws {
        let pipe = Pipe()
        let sink = FileSink(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let text = String(repeating: "0123456789", count: 1_000)
        try sink.write(text)
        try sink.write("end")
        try sink.flush()
        try pipe.fileHandleForWriting.close()
        let read = try pipe.fileHandleForReading.readToEnd()
        #expect(read.map { String(decoding: $0, as: UTF8.self) } == text + "end")
    }

    @Test("A reader that has gone is told apart from a failure")
    func closedPipe() throws {
        // As the program's entry does; without it the signal would end the test.
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let sink = FileSink(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        try sink.write("line\n")
        #expect(throws: OutputFailure.closed) { try sink.flush() }
        let nowhere = FileSink(descriptor: -1)
        try nowhere.write("line\n")
        #expect(throws: OutputFailure.failed(reason: "Bad file descriptor")) {
            try nowhere.flush()
        }
    }
}
