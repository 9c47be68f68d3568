import Varve

/// `stats`
struct StatsCommand: StoreCommand {
    static let mode = Store.Mode.readOnly

    let storePath: String

    func run(_ store: Store) throws -> GraphStatistics {
        var statistics = GraphStatistics(store.context)
        statistics.transactions = store.lastTransaction.rawValue
        statistics.storeBytes = try Measurement.byteCount(ofDirectory: storePath)
        return statistics
    }
}

extension GraphStatistics: CommandResult {
    var json: GraphStatistics { self }

    func lay(out layout: inout TextLayout) {
        let column = 18
        let style = layout.style
        layout.line(style.bold("Entities"))
        layout.figures(
            [
                ("packages", Quantity.grouped(packages)),
                ("virtual packages", Quantity.grouped(virtualPackages)),
                ("sources", Quantity.grouped(sources)),
                ("maintainers", Quantity.grouped(maintainers)),
                ("sections", Quantity.grouped(sections)),
                ("removed packages", Quantity.grouped(removed)),
            ], labelWidth: column)
        layout.line()
        layout.line(style.bold("Links"))
        layout.figures(
            [
                ("pre-depends", Quantity.grouped(preDepends)),
                ("depends", Quantity.grouped(depends)),
                ("recommends", Quantity.grouped(recommends)),
                ("suggests", Quantity.grouped(suggests)),
                ("enhances", Quantity.grouped(enhances)),
                ("provides", Quantity.grouped(provides)),
                ("unknown names", Quantity.grouped(unknownNames)),
            ], labelWidth: column)
        lay(mostNeeded, title: "Most needed", column, out: &layout)
        lay(largestSections, title: "Largest sections", column, out: &layout)
        layout.line()
        layout.line(
            "\(Quantity.count(transactions, "transaction")) in \(Quantity.bytes(storeBytes))")
    }

    private func lay(
        _ ranked: [Ranked], title: String, _ column: Int, out layout: inout TextLayout
    ) {
        guard !ranked.isEmpty else { return }
        layout.line()
        layout.line(layout.style.bold(title))
        layout.figures(
            ranked.map { ($0.name, Quantity.grouped($0.packages)) }, labelWidth: column)
    }
}
