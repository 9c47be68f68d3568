import VarveInspection

extension TransactionSummary.Kind {
    /// `write`, `undo of 41`.
    var text: String {
        switch self {
        case .write: "write"
        case .undo(let id): "undo of \(id)"
        case .redo(let id): "redo of \(id)"
        case .revert(let id): "revert of \(id)"
        case .rewind: "rewind"
        case .restore: "restore"
        case .schema: "schema"
        case .purge: "purge"
        }
    }
}

extension TransactionSummary {
    /// What a transaction is, above what is said of it.
    func headline(in session: Session) -> StyledText {
        var line =
            StyledText("\(id)", .identifier)
            + StyledText("  " + session.zone.seconds(time), .faint)
        if kind != .write { line += StyledText("  " + kind.text, .changed) }
        if let author { line += StyledText("  " + author) }
        if let label { line += StyledText("  " + label, .heading) }
        return line
    }

    /// `Chat +1 ~2, User -1`.
    var eventText: StyledText {
        var text = StyledText()
        for type in types {
            if !text.isEmpty { text += StyledText(", ") }
            text += StyledText(type.type)
            for (sign, count, role) in type.signs where count > 0 {
                text += StyledText(" " + sign + Numerals.grouped(count), role)
            }
        }
        if unknownEventCount > 0 {
            text += StyledText((text.isEmpty ? "" : ", ") + "? ")
            text += StyledText(Numerals.grouped(unknownEventCount), .faint)
        }
        return text
    }
}

extension TransactionSummary.TypeEvents {
    fileprivate var signs: [(sign: String, count: Int, role: StyledText.Role)] {
        [
            ("*", definitions, .faint), ("+", insertions, .added), ("~", updates, .changed),
            ("−", deletions, .removed), ("=", links, .identifier), ("x", purges, .removed),
        ]
    }
}
