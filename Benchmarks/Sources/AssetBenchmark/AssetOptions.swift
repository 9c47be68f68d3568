import Foundation

/// How much is measured.
enum AssetSize: String {
    case smoke, full

    /// The bytes of the long text.
    var textBytes: Int { self == .full ? 50_000_000 : 2_000_000 }
    var photoCount: Int { self == .full ? 40 : 4 }
    var photoBytes: Int { self == .full ? 10_000_000 : 500_000 }
    var largeCount: Int { self == .full ? 100 : 3 }
    var largeBytes: Int { self == .full ? 50_000_000 : 4_000_000 }
    var smallCount: Int { self == .full ? 10_000 : 60 }
    var smallBytes: Int { 50_000 }
    /// The saves whose median is taken for each size of a content.
    var thresholdCount: Int { self == .full ? 200 : 5 }
}

struct AssetOptions {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static let usage = """
        usage: Benchmarks/assets [--smoke] [--only PART] [--directory PATH]

        parts: \(AssetPart.allCases.map(\.rawValue).joined(separator: ", "))
        """

    private(set) var size = AssetSize.full
    private(set) var only: AssetPart?
    private(set) var directory = FileManager.default.temporaryDirectory
    private(set) var wantsHelp = false
    /// What this process does, where another one has started it.
    private(set) var child: AssetPart?

    init(_ arguments: [String]) throws(Failure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--smoke": size = .smoke
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
        ["--child", part.rawValue, "--directory", directory.path]
            + (size == .smoke ? ["--smoke"] : [])
    }
}
