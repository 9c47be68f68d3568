internal import Foundation
internal import VarveLog

/// Where assets are read and written that tasks wait for: a disk may be slow, and the cooperative pool has few threads.
enum AssetQueue {
    private static let queue = DispatchQueue(label: "varve.assets", attributes: .concurrent)

    static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        do {
            return try await withUnsafeThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Swift.Result { try body() }) }
            }
        } catch let error as LogError {
            throw StoreError.log(error)
        }
    }
}
