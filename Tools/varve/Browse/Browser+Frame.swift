import VarveInspection
import VarveTerminal

extension Browser {
    /// What the screen shows.
    var frame: Frame {
        guard !size.isTooSmall else {
            let text = "too small: \(ScreenSize.least) is needed"
            return Frame(size: size, lines: [ScreenLine(StyledText(text))], cursor: nil)
        }
        var lines = [ScreenLine(titleBar, .bar)]
        if let damageBar { lines.append(ScreenLine(damageBar, .warning)) }
        if let titles = pane.titles(layout) {
            lines.append(ScreenLine(shifted(titles).cell(size.columns), .titles))
        }
        lines += rows
        lines.append(ScreenLine(statusLine))
        return Frame(size: size, lines: lines, cursor: cursor)
    }

    private func shifted(_ text: StyledText) -> StyledText {
        shift == 0 ? text : text.dropping(columns: shift)
    }

    private var rows: [ScreenLine] {
        let (pane, height, layout) = (pane, height, layout)
        let count = pane.rowCount
        let visible = pane.list.visible(count: count, height: height)
        var rows = visible.map { row in
            let isSelected = row == pane.list.selection && !pane.isText
            return ScreenLine(
                shifted(pane.row(row, layout)), isSelected ? .selected : .none)
        }
        if count == 0 { rows.append(ScreenLine(StyledText("  " + pane.emptyText, .faint))) }
        return rows + Array(repeating: ScreenLine(), count: max(0, height - rows.count))
    }

    // MARK: Bars

    /// Where one is, on the left; how far, on the right.
    private var titleBar: StyledText {
        let right = rightOfTitle
        let room = size.columns - right.width - 3
        var path = ([storeName] + panes.map(\.title)).joined(separator: " › ")
        // The end of the path says the most.
        var parts = panes.map(\.title)
        while StyledText(path).width > room, parts.count > 1 {
            parts.removeFirst()
            path = (["…"] + parts).joined(separator: " › ")
        }
        return StyledText(" ") + StyledText(path).cell(max(room, 0)) + StyledText(" ") + right
            + StyledText(" ")
    }

    private var rightOfTitle: StyledText {
        var parts: [String] = []
        if let moment = pane.moment {
            let newer = extent.last > moment ? extent.last.rawValue - moment.rawValue : 0
            parts.append(
                "as of \(moment)" + (newer > 0 ? ", \(Numerals.grouped(newer)) newer" : ""))
        }
        if !pane.position.isEmpty { parts.append(pane.position) }
        return StyledText(parts.joined(separator: "   "))
    }

    private var damageBar: StyledText? {
        guard let damage else { return nil }
        let lost = damage.lost.reduce(UInt64(0)) { $0 + $1.count }
        let parts = [
            Numerals.counted(damage.damages.count, "damaged place"),
            lost == 0 ? "no transaction lost" : Numerals.counted(lost, "transaction") + " lost",
            damage.adjustedCount == 0
                ? nil : Numerals.counted(damage.adjustedCount, "made to fit", "made to fit"),
        ].compactMap(\.self)
        return StyledText(" DAMAGED: " + parts.joined(separator: ", ") + "; ! shows what")
    }

    /// A prompt, a message, what is going on, or the keys.
    private var statusLine: StyledText {
        if let prompt { return StyledText(promptStart(prompt) + prompt.text) }
        if let activity { return StyledText(activity, .changed) }
        if let message { return message }
        let state = StyledText(isFollowing ? "following" : "", isFollowing ? .added : .faint)
        let room = size.columns - state.width - 2
        var hints = StyledText()
        for action in pane.actions {
            let word = action == .back && panes.count == 1 ? "quit" : action.hint
            var hint = StyledText(action.keys[0].name, .identifier) + StyledText(" " + word)
            if !hints.isEmpty { hint = StyledText("  ") + hint }
            // The help is always there.
            let help = action == .help ? 0 : 8
            guard hints.width + hint.width + help <= room else { continue }
            hints += hint
        }
        return hints.cell(max(0, room)) + StyledText("  ") + state
    }

    private func promptStart(_ prompt: Prompt) -> String {
        switch prompt.purpose {
        case .search: "/"
        case .goTo: "go to transaction: "
        }
    }

    private var cursor: Frame.Cursor? {
        guard let prompt else { return nil }
        let width = StyledText(promptStart(prompt) + prompt.text).width
        return Frame.Cursor(column: min(width, size.columns - 1), row: size.rows - 1)
    }
}
