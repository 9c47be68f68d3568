import VarveInspection

/// Which colour of the palette each type has everywhere in a report: the types that take most have one of their own.
struct ReportColors {
    /// The palette's colours, of which the last is for everything else.
    static let count = 8
    static let other = 7

    /// Types with a colour of their own, with the largest first.
    let types: [TypeStatistics]
    private let colors: [UInt32: Int]

    init(_ statistics: InspectedStatistics) {
        let sorted = statistics.types.sorted { first, second in
            let (one, another) = (first.weight, second.weight)
            return one == another ? first.type.number < second.type.number : one > another
        }.filter { $0.weight > 0 }
        types = Array(sorted.prefix(sorted.count > Self.other ? Self.other : sorted.count))
        colors = Dictionary(
            types.enumerated().map { ($0.element.type.number, $0.offset) },
            uniquingKeysWith: { first, _ in first })
    }

    func color(of type: UInt32) -> Int { colors[type] ?? Self.other }

    /// Amounts by type as amounts by colour.
    func byColor(_ amounts: [UInt32: ByteCount]) -> [UInt64] {
        var sums = Array(repeating: UInt64(0), count: Self.count)
        for (type, bytes) in amounts { sums[color(of: type)] += bytes.rawValue }
        return sums
    }

    /// The meaning of each colour.
    func legend(others: String) -> Markup {
        let own = types.enumerated().map {
            Legend.entry($0.offset, "<bdi class=\"name\">\($0.element.type.name)</bdi>")
        }
        return Legend.list(own + [Legend.entry(Self.other, "\(others)")])
    }
}

extension TypeStatistics {
    fileprivate var weight: UInt64 { max(liveBytes.rawValue, history.rawValue) }
}
