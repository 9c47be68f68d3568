import VarveInspection

/// The files as a picture: what each type takes in checkpoints and segments, and history beside live data.
struct FilesSection {
    private static let segmentsMax = 60

    let statistics: InspectedStatistics
    let colors: ReportColors

    var markup: Markup {
        let pictured = statistics.files.filter { $0.kind == .checkpoint || $0.kind == .segment }
        let others = statistics.files.filter { $0.kind != .checkpoint && $0.kind != .segment }
        let most = pictured.map(\.bytes.rawValue).max() ?? 0
        let shown = pictured.prefix(Self.segmentsMax)
        var rows = shown.map { row($0, most) }
        if pictured.count > shown.count {
            let rest = pictured.dropFirst(shown.count).reduce(UInt64(0)) { $0 &+ $1.bytes.rawValue }
            let text =
                "\(Numerals.counted(pictured.count - shown.count, "more segment")), "
                + Numerals.size(ByteCount(rest))
            rows.append("<tr><td colspan=\"4\" class=\"faint\">\(text)</td></tr>")
        }
        return colors.legend(others: "other types, definitions, headers") + """
            <div class="scroll"><table class="files"><thead><tr><th scope="col">File</th><th scope="col" class="n">\
            Size</th><th scope="col" class="wide">What types take in it</th><th scope="col">Transactions</th></tr>\
            </thead><tbody>\(rows.joined())\(others.map(small).joined())</tbody></table></div>
            """ + liveAgainstHistory
    }

    private func row(_ file: FileStatistics, _ most: UInt64) -> Markup {
        var parts = colors.byColor(file.types)
        let known = parts.reduce(0, +)
        parts[ReportColors.other] += file.bytes.rawValue > known ? file.bytes.rawValue - known : 0
        let problem: Markup =
            file.problem == nil
            ? Markup() : "<div class=\"problem\">damaged: see <a href=\"#health\">Health</a></div>"
        return """
            <tr><td>\(file.name)</td>\(ReportText.bytes(file.bytes))\
            <td class="wide">\(ShareBar.markup(parts, of: most, label: "\(file.name) by type"))\(problem)</td>\
            <td>\(transactions(of: file))</td></tr>
            """
    }

    private func small(_ file: FileStatistics) -> Markup {
        "<tr class=\"faint\"><td><bdi class=\"name\">\(file.name)</bdi></td>\(ReportText.bytes(file.bytes))"
            + "<td class=\"wide\"></td><td></td></tr>"
    }

    private func transactions(of file: FileStatistics) -> Markup {
        if file.kind == .checkpoint {
            return file.last.map { "state of \($0.rawValue)" } ?? Markup()
        }
        guard let first = file.first, let last = file.last else {
            return "<span class=\"faint\">none</span>"
        }
        return first == last ? "\(first.rawValue)" : "\(first.rawValue) to \(last.rawValue)"
    }

    // MARK: History and live data

    private var liveAgainstHistory: Markup {
        let types = statistics.types
        func amounts(_ value: (TypeStatistics) -> ByteCount) -> [UInt64] {
            colors.byColor(
                Dictionary(
                    types.map { ($0.type.number, value($0)) },
                    uniquingKeysWith: { first, _ in first }))
        }
        let bars: [(String, [UInt64])] = [
            ("Live entities", amounts(\.liveBytes)),
            ("Deleted, can be restored", amounts(\.deletedBytes)),
            ("History in the log", amounts(\.history)),
        ]
        let most = bars.map { $0.1.reduce(0, +) }.max() ?? 0
        guard most > 0 else { return Markup() }
        let rows = bars.map { name, parts -> Markup in
            """
            <tr><td>\(name)</td>\(ReportText.bytes(ByteCount(parts.reduce(0, +))))\
            <td class="wide">\(ShareBar.markup(parts, of: most, label: name))</td></tr>
            """
        }
        return """
            <h3>History against live data</h3><div class="scroll"><table class="files"><thead><tr>\
            <th scope="col">Raw bytes</th><th scope="col" class="n">Size</th><th scope="col" class="wide">By type</th>\
            </tr></thead><tbody>\(rows.joined())</tbody></table></div>
            """
    }
}
