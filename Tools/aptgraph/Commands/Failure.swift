import AptGraphInput
import Foundation
import Varve

/// A command that cannot do what it was asked to, in one line.
struct Failure: Error {
    var message: String
    var status = ExitStatus.failure

    init(_ message: String, status: ExitStatus = .failure) {
        self.message = message
        self.status = status
    }

    static func describe(_ error: any Error) -> String {
        switch error {
        case let error as PackagesError: "\(error)"
        case let error as StoreError: "\(error)"
        case let error as LogError: "\(error)"
        case Terminal.WriteError.failed(let code):
            "write error: \(String(cString: strerror(code)))"
        default: "\(error)"
        }
    }
}

extension Failure {
    /// No package has the name, and no package can be restored to it either.
    static func unknown(_ name: String) -> Failure {
        Failure("no package is called '\(name)'")
    }

    static func removed(_ name: String) -> Failure {
        Failure("\(name) was removed; '\(Program.name) restore \(name)' brings it back")
    }
}
