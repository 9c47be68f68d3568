import VarveInspection

/// Columns over time, each a stack of amounts by colour, with axes that say their units.
///
/// Across, everything is in per cent and the axes are text of the page: so a narrow screen gets a narrower chart with
/// letters of the same size.
struct TimeChart {
    enum Unit {
        case transactions, bytes
    }

    private static let height = 168.0

    let title: String
    let unit: Unit
    /// By period, by colour.
    let columns: [[UInt64]]
    let periods: Periods

    var markup: Markup {
        let scale = AxisScale(upTo: sums.max() ?? 0, unit)
        return """
            <figure class="chart"><figcaption>\(title) <span class="faint">\(scale.unitText) per \
            \(ReportText.duration(periods.microseconds)) · \(day)UTC</span></figcaption>
            <div class="plot"><div class="axis-y" aria-hidden="true">\(axisLabels(scale))</div>
            <svg role="img" aria-label="\(title)" width="100%" height="\(Self.height)">\(lines(scale))\
            \(columnMarkup(scale))</svg>
            <div class="axis-x" aria-hidden="true">\(timeLabels)</div></div></figure>

            """
    }

    /// Periods that there is room for: few columns stay columns.
    private var slots: Int { max(columns.count, 24) }

    /// The length of the time axis, in microseconds.
    private var span: Int64 { periods.microseconds * Int64(slots) }

    private var sums: [UInt64] { columns.map { $0.reduce(0, +) } }

    private func y(_ value: UInt64, _ scale: AxisScale) -> Double {
        Self.height - Double(value) / Double(scale.top) * (Self.height - 8)
    }

    private func axisLabels(_ scale: AxisScale) -> Markup {
        scale.ticks.map { tick in
            "<span style=\"top:\(y(tick, scale))px\">\(scale.text(of: tick))</span>" as Markup
        }.joined()
    }

    private func lines(_ scale: AxisScale) -> Markup {
        scale.ticks.map { tick in
            let y = min(y(tick, scale), Self.height - 0.5)
            return "<line x1=\"0\" x2=\"100%\" y1=\"\(y)\" y2=\"\(y)\" class=\"grid\"/>" as Markup
        }.joined()
    }

    private func columnMarkup(_ scale: AxisScale) -> Markup {
        let width = 100 / Double(slots)
        var markup = Markup()
        for (position, parts) in columns.enumerated() where sums[position] > 0 {
            var below: UInt64 = 0
            let x = Double(position) * width
            var stack = Markup()
            for (color, amount) in parts.enumerated() where amount > 0 {
                let (top, bottom) = (y(below + amount, scale), y(below, scale))
                below += amount
                // What is there is seen, however small it is beside the rest.
                let height = max(bottom - top, below == amount ? 1 : 0)
                stack += """
                    <rect class="c\(color)" x="\(x + width * 0.08)%" width="\(width * 0.84)%" \
                    y="\(bottom - height)" height="\(height)"/>
                    """
            }
            let start = periods.periods[position].start.iso8601Seconds
            markup += "<g><title>\(start): \(scale.exact(sums[position]))</title>\(stack)</g>"
        }
        return markup
    }

    /// The date, or both where the axis goes past midnight, where it shows times of day alone.
    private var day: Markup {
        guard span < 86_400_000_000, let first = periods.periods.first?.start else {
            return Markup()
        }
        let ends = [first, Moment(microseconds: first.microseconds + span)]
        let days = ends.map { end in String(end.iso8601.prefix { $0 != "T" }) }
        return days[0] == days[1]
            ? "<time>\(days[0])</time> " : "<time>\(days[0])</time> to <time>\(days[1])</time> "
    }

    private var timeLabels: Markup {
        guard let first = periods.periods.first?.start else { return Markup() }
        return (0...4).map { quarter -> Markup in
            let moment = Moment(microseconds: first.microseconds + span / 4 * Int64(quarter))
            let place = ["first", "minor", "", "minor", "last"][quarter]
            return """
                <span class="\(place)" style="left:\(quarter * 25)%">\(Self.time(moment, within: span))</span>
                """
        }.joined()
    }

    /// The part of a time in which the ends of the span differ, in UTC.
    private static func time(_ moment: Moment, within length: Int64) -> String {
        let text = moment.iso8601
        let date = text.prefix { $0 != "T" }
        let clock = text.dropFirst(date.count + 1)
        if length < 10_000_000 { return String(clock.prefix(length < 2_000_000 ? 12 : 10)) }
        if length < 86_400_000_000 { return String(clock.prefix(length < 3_600_000_000 ? 8 : 5)) }
        return length < 10 * 86_400_000_000 ? date.suffix(5) + " " + clock.prefix(5) : String(date)
    }
}
