import Foundation
import VarveFuzzing

/// The target that the environment names.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["VARVE_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        fatalError("VARVE_FUZZ_TARGET is none of \(names)")
    }
    return target
}()

/// libFuzzer's first call. Writes the inputs to start from into the directory that the environment
/// names.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    guard let directory = ProcessInfo.processInfo.environment["VARVE_FUZZ_SEEDS"] else { return 0 }
    for (number, seed) in target.seeds.enumerated() {
        do {
            try Data(seed).write(to: URL(fileURLWithPath: "\(directory)/seed-\(number)"))
        } catch {
            fatalError("\(directory): \(error)")
        }
    }
    return 0
}

/// libFuzzer's way in.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
