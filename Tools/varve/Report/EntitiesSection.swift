import VarveInspection

/// The entities that were changed most, and the largest ones.
struct EntitiesSection {
    let statistics: InspectedStatistics

    var markup: Markup {
        let changed = statistics.mostChanged
        guard !changed.entities.isEmpty || !statistics.largestEntities.isEmpty else {
            return statistics.health.stateProblem == nil
                ? "<p class=\"empty\">There are no entities.</p>"
                : "<p class=\"empty\">No entities could be counted.</p>"
        }
        let missed: Markup =
            changed.missed == 0
            ? Markup()
            : "<p class=\"faint\">Each number may be too low by up to \(Numerals.grouped(changed.missed)): more "
                + "entities were changed than are counted one by one.</p>"
        return "<div class=\"columns\"><div><h3>Changed most</h3>"
            + table(
                changed.entities, "Changes", "Nothing was changed after its insertion.",
                ReportText.count)
            + missed + "</div><div><h3>Largest</h3>"
            + table(statistics.largestEntities, "Bytes", "The entities could not be read.") {
                ReportText.bytes(ByteCount($0))
            } + "</div></div>"
    }

    private func table(
        _ entities: [InspectedStatistics.EntityFigure], _ title: String, _ none: String,
        _ cell: (UInt64) -> Markup
    ) -> Markup {
        guard !entities.isEmpty else { return "<p class=\"empty\">\(none)</p>" }
        let rows = entities.map { figure -> Markup in
            """
            <td>\(ReportText.entity(figure.entity))</td>\(cell(figure.figure))\
            <td class="n">\(figure.transaction.rawValue)</td>
            """
        }
        return ReportTable([("Entity", false), (title, true), ("Last in", true)], rows).markup
    }
}
