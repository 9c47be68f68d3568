extension Browser {
    /// Searches from the selected row on. Without a text, what was searched before, from the next row on.
    mutating func beginSearch(_ text: String) {
        if !text.isEmpty { search = SearchText(text) }
        find(.down, includingSelected: !text.isEmpty)
    }

    mutating func find(_ direction: SearchDirection, includingSelected: Bool = false) {
        guard let search else { return say("nothing to search for: / asks", .faint) }
        let pane = pane
        let current = pane.isText ? pane.list.top : pane.list.selection
        let start = includingSelected ? current : current + (direction == .down ? 1 : -1)
        if let request = pane.search(search, from: start, direction) { return ask(request) }
        guard let row = match(search, from: start, direction) else {
            return sayNotFound(search, direction)
        }
        select(row)
    }

    /// The nearest row that matches, in a pane whose rows are all known.
    private func match(_ search: SearchText, from start: Int, _ direction: SearchDirection) -> Int?
    {
        let wide = BrowseLayout(width: 4_000, now: now, shift: 1, zone: zone)
        let matches = { (row: Int) in search.matches(pane.row(row, wide).plain) }
        guard start >= 0, start < pane.rowCount else { return nil }
        return direction == .down
            ? (start..<pane.rowCount).first(where: matches)
            : (0...start).reversed().first(where: matches)
    }

    mutating func sayNotFound(_ search: SearchText, _ direction: SearchDirection) {
        let (place, key) = direction == .down ? ("below", "N") : ("above", "n")
        say("no '\(search.text)' \(place); \(key) searches the other way", .removed)
    }
}
