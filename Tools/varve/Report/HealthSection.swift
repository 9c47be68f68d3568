import VarveInspection

/// How the store ended, and what of it can be read.
struct HealthSection {
    let statistics: InspectedStatistics

    private static let damagesMax = 200

    var markup: Markup {
        let health = statistics.health
        var facts: [(String, Markup)] = [("State", state)]
        if let report = health.report { facts.append(("Opening", "\("\(report)")")) }
        if let dropped = health.report?.dropped {
            facts.append(
                (
                    "Unpromised end",
                    "\(Numerals.size(dropped.bytes)) in segment \(dropped.segment.rawValue): "
                        + "\(dropped.reason.rawValue). "
                        + "The next writer cuts it off; nothing that was promised is in it."
                ))
        }
        if let unused = health.report?.unused {
            facts.append(
                ("Unused space", "\(Numerals.size(unused.bytes)) of zeros behind the last frame"))
        }
        if let floor = health.floor {
            // Where none is kept, it begins after the newest transaction.
            let isNone = health.stateTransaction.map { floor > $0 } ?? false
            let from: Markup =
                floor == TransactionID(1)
                ? "from the beginning" : isNone ? "none" : "from transaction \(floor.rawValue) on"
            facts.append(("History kept", from))
        }
        if statistics.belowFloor.transactions > 0 {
            let count = Numerals.counted(statistics.belowFloor.transactions, "transaction")
            facts.append(
                (
                    "To be removed",
                    "\(count), \(Numerals.size(statistics.belowFloor.stored)): no longer history, and in segments "
                        + "that are kept in case the newest checkpoint is damaged"
                ))
        }
        facts.append(("Retention", health.retention.map { "\($0.text)" } ?? "never compacted"))
        facts.append(
            (
                "Damage",
                health.damages.isEmpty
                    ? "none found" : "\(Numerals.counted(health.damages.count, "place"))"
            ))
        if !health.missing.isEmpty {
            let ranges = health.missing.prefix(20).map { ReportPage.text(of: $0) }.joined(
                separator: ", ")
            facts.append(("Missing", "\(ranges)"))
        }
        if health.unknownEvents > 0 {
            facts.append(
                (
                    "Passed over",
                    "\(Numerals.counted(health.unknownEvents, "event")) of a later version"
                ))
        }
        if let version = health.formatVersion { facts.append(("Format", "version \(version)")) }
        if let created = health.createdAt {
            facts.append(("Manifest written", ReportText.time(created)))
        }
        let list = facts.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" as Markup }.joined()
        return "<dl>\(list)</dl>" + damages + """
            <p class="faint">This is the health of these files alone: a store does not know its copies and backups.</p>
            """
    }

    private var state: Markup {
        switch statistics.health.state {
        case .closedCleanly: "closed cleanly"
        case .notClosed: "not closed: the last writer ended without closing it"
        case .openForWriting:
            "open for writing in another process; what it has not promised is not shown"
        case nil: "it does not open"
        }
    }

    private var damages: Markup {
        let damages = statistics.health.damages
        guard !damages.isEmpty else {
            return
                "<p class=\"faint\">Every frame of the log and every page of the checkpoints was read, and all "
                + "checksums are right.</p>"
        }
        let items = damages.prefix(Self.damagesMax).map {
            "<li>\(Self.text(of: $0))</li>" as Markup
        }
        return "<h3>Damage</h3><ul class=\"damages\">\(items.joined())</ul>"
    }

    static func text(of damage: Health.Damage) -> Markup {
        let place =
            damage.bytes > .zero
            ? ", offset \(Numerals.grouped(damage.offset.rawValue)), \(Numerals.size(damage.bytes))"
            : ""
        let number = damage.transaction.map { ", transaction \($0)" } ?? ""
        // Errors about a file as a whole name it themselves.
        if damage.reason.hasPrefix(damage.file) { return "\(damage.reason)" }
        return "<code>\(damage.file)</code>\(place)\(number): \(damage.reason)"
    }
}
