import Foundation

/// What the command line asks for.
struct CampaignOptions: Sendable {
    var size = CampaignSize.full
    var seed: UInt64 = 1
    /// Parts to run; all when empty.
    var only: Set<String> = []
    var threads = 2

    static let usage = """
        usage: torture [--nightly | --tenth | --short] [--seed N] [--only PART]… [--threads N]

        Tortures the log: power cuts at every moment, failing disks, damaged files, killed processes.
        Prints a table, and as the last line the same figures as JSON. Ends with 1 where a rule was
        broken or a figure missed.

        Parts: \(Campaign.partNames.joined(separator: ", "))
        """

    /// Nil where the arguments are not understood.
    init?(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            switch argument {
            case "--nightly": size = .nightly
            case "--short": size = .short
            case "--tenth": size = .tenth
            case "--seed":
                guard let value = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
                seed = value
            case "--threads":
                guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else {
                    return nil
                }
                threads = value
            case "--only":
                guard let part = rest.popFirst(), Campaign.partNames.contains(part) else {
                    return nil
                }
                only.insert(part)
            default: return nil
            }
        }
    }
}

/// How much is done: a minute for every change, minutes for the published figures and for a tenth of them
/// under a sanitizer, a night.
enum CampaignSize: String, Sendable {
    case short, tenth, full, nightly

    /// One of the values; that of the short size where there is none for a tenth.
    func choose<Value>(
        _ short: Value, _ full: Value, _ nightly: Value, tenth: Value? = nil
    ) -> Value {
        switch self {
        case .short: short
        case .tenth: tenth ?? short
        case .full: full
        case .nightly: nightly
        }
    }
}
