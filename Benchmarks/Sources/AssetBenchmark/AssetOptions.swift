import Foundation

/// How much is measured.
enum AssetSize: String, CaseIterable {
    case smoke, middle, full

    /// The bytes of the long text.
    var textBytes: Int { choose(2_000_000, 50_000_000, 50_000_000) }
    var photoCount: Int { choose(4, 10, 40) }
    var photoBytes: Int { choose(500_000, 10_000_000, 10_000_000) }
    var largeCount: Int { choose(3, 20, 100) }
    var largeBytes: Int { choose(4_000_000, 50_000_000, 50_000_000) }
    var smallCount: Int { choose(60, 2_000, 10_000) }
    var smallBytes: Int { 50_000 }
    /// The saves whose median is taken for each size of a content.
    var thresholdCount: Int { choose(5, 50, 200) }
    /// How long a writer works before it is killed, in microseconds.
    var killDelay: ClosedRange<UInt32> { 1_000...choose(150_000, 600_000, 2_000_000) }

    /// What says it to another process.
    var arguments: [String] { self == .full ? [] : ["--" + rawValue] }

    private func choose<Value>(_ smoke: Value, _ middle: Value, _ full: Value) -> Value {
        switch self {
        case .smoke: smoke
        case .middle: middle
        case .full: full
        }
    }
}

struct AssetOptions {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static let usage = """
        usage: Benchmarks/assets [--smoke|--middle] [--only PART] [--directory PATH] [--seed N]

        parts: \(AssetPart.allCases.map(\.rawValue).joined(separator: ", "))
        """

    private(set) var size = AssetSize.full
    private(set) var only: AssetPart?
    private(set) var directory = FileManager.default.temporaryDirectory
    private(set) var wantsHelp = false
    /// What this process does, where another one has started it.
    private(set) var child: AssetPart?
    /// Whether this process writes until it is killed.
    private(set) var isWriter = false
    /// Says at which moments processes are killed.
    private(set) var seed = UInt64.random(in: 0..<1_000_000)

    init(_ arguments: [String]) throws(Failure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--smoke": size = .smoke
            case "--middle": size = .middle
            case "--writer": isWriter = true
            case "--seed":
                guard let seed = rest.popFirst().flatMap({ UInt64($0) }) else {
                    throw Failure(description: "--seed needs a number")
                }
                self.seed = seed
            case "--help", "-h": wantsHelp = true
            case "--only": only = try Self.part(rest.popFirst())
            case "--child": child = try Self.part(rest.popFirst())
            case "--directory":
                guard let path = rest.popFirst() else {
                    throw Failure(description: "--directory needs a path")
                }
                directory = URL(fileURLWithPath: path)
            default: throw Failure(description: "unknown argument \(argument)")
            }
        }
    }

    private static func part(_ name: String?) throws(Failure) -> AssetPart {
        guard let name, let part = AssetPart(rawValue: name) else {
            throw Failure(description: "no such part: \(name ?? "")")
        }
        return part
    }

    func wants(_ part: AssetPart) -> Bool {
        only == nil || only == part || part.follower == only
    }

    func arguments(of part: AssetPart, in directory: URL) -> [String] {
        ["--child", part.rawValue, "--directory", directory.path, "--seed", "\(seed)"]
            + size.arguments
    }
}
