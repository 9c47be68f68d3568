import VarveInspection

/// The events of a transaction as lines for people.
struct EventLines {
    /// The columns to keep to; nil for as many as needed.
    let width: Int?

    private static let indentation = 4

    func lines(of event: InspectedEvent) -> [StyledText] {
        switch event {
        case .define(let type): lines(of: type)
        case .insert(let insertion):
            [headline("+", .added, insertion.entity)] + lines(of: insertion.fields)
        case .update(let update):
            [headline("~", .changed, update.entity) + previous(update.previous)]
                + lines(of: update.changes)
        case .delete(let deletion):
            [headline("−", .removed, deletion.entity) + remarks(on: deletion)]
                + content(of: deletion)
        case .link(let link): [line(of: link)]
        case .purge(let entities):
            entities.map { headline("x", .removed, $0) + StyledText("  for good", .faint) }
        case .unknown(let tag, let bytes):
            [
                StyledText("? ")
                    + StyledText(
                        "an event of a later version (tag \(tag), \(Numerals.size(bytes)))", .faint)
            ]
        }
    }

    /// How many lines an event has, without making them.
    static func count(of event: InspectedEvent) -> Int {
        switch event {
        case .define(let type): 1 + type.fields.count + type.relations.count
        case .insert(let insertion): 1 + insertion.fields.count
        case .update(let update): 1 + update.changes.count
        case .delete(let deletion): 1 + deletion.fields.count + deletion.links.count
        case .link, .unknown: 1
        case .purge(let entities): entities.count
        }
    }

    private func headline(
        _ sign: String, _ role: StyledText.Role, _ entity: EntityName
    ) -> StyledText {
        StyledText(sign + " ", role) + StyledText(ValueText.text(of: entity), .heading)
    }

    private func previous(_ version: InspectedEvent.Previous?) -> StyledText {
        guard let version else { return StyledText() }
        return StyledText("  last changed in \(version.transaction)", .faint)
    }

    // MARK: Fields

    func lines(of fields: [InspectedField]) -> [StyledText] {
        aligned(fields.map { ($0.name, StyledText(ValueText.text(of: $0.value))) })
    }

    /// Names and texts in two columns.
    func aligned(_ members: [(name: String, text: StyledText)]) -> [StyledText] {
        zip(starts(members.map(\.name)), members).map { start, member in start + member.text }
    }

    /// Names of fields, each with the spaces that align what is behind them.
    private func starts(_ names: [String]) -> [StyledText] {
        let names = names.map { StyledText($0, .faint) }
        let widths = names.map(\.width)
        let widest = min(widths.max() ?? 0, 24)
        let indentation = StyledText(String(repeating: " ", count: Self.indentation))
        return zip(names, widths).map { name, width in
            let padding = max(0, widest - width) + 2
            return indentation + name + StyledText(String(repeating: " ", count: padding))
        }
    }

    private func lines(of changes: [InspectedEvent.FieldChange]) -> [StyledText] {
        zip(starts(changes.map(\.name)), changes).map { start, change in
            let (old, new, place) = parts(of: change.content)
            let arrow = StyledText(" → ")
            let room = width.map { $0 - start.width - arrow.width - place.width }
            let (oldText, newText) = Self.share(
                room, StyledText(old, .removed), StyledText(new, .added))
            return start + oldText + arrow + newText + place
        }
    }

    private func parts(
        of content: InspectedEvent.FieldChange.Content
    ) -> (old: String, new: String, place: StyledText) {
        switch content {
        case .values(let old, let new):
            return (ValueText.text(of: old), ValueText.text(of: new), StyledText())
        case .splice(let splice):
            let length =
                splice.prefix.rawValue + UInt64(splice.old.count) + splice.suffix.rawValue
            let place =
                " at byte \(Numerals.grouped(splice.prefix)) of \(Numerals.grouped(length))"
            return (splice.oldText, splice.newText, StyledText(place, .faint))
        }
    }

    /// Two texts side by side in one space: the shorter one leaves what it does not need.
    private static func share(
        _ room: Int?, _ first: StyledText, _ second: StyledText
    ) -> (StyledText, StyledText) {
        guard let room, first.width + second.width > room else { return (first, second) }
        let half = max(room / 2, 1)
        if first.width <= half { return (first, second.shortened(to: room - first.width)) }
        if second.width <= half { return (first.shortened(to: room - second.width), second) }
        return (first.shortened(to: half), second.shortened(to: max(room - half, 1)))
    }

    // MARK: Deletions and links

    private func remarks(on deletion: InspectedEvent.Deletion) -> StyledText {
        var remarks: [String] = []
        switch deletion.cause {
        case .direct: break
        case .cascade(let origin):
            remarks.append("cascade of " + ValueText.text(of: origin))
        case .upsert(let origin):
            remarks.append("to make room for " + ValueText.text(of: origin))
        }
        if deletion.isRowless { remarks.append("a tombstone only") }
        if !deletion.keepsTombstone { remarks.append("for good") }
        let text = remarks.isEmpty ? "" : "  " + remarks.joined(separator: ", ")
        return StyledText(text, .faint) + previous(deletion.previous)
    }

    private func content(of deletion: InspectedEvent.Deletion) -> [StyledText] {
        let fields = deletion.fields.map { ($0.name, ValueText.text(of: $0.value)) }
        let links = deletion.links.map { links in
            let targets = links.targets.map { ValueText.text(of: $0.id) }
            return (links.relation, "→ " + targets.joined(separator: ", "))
        }
        return aligned((fields + links).map { ($0.0, StyledText($0.1)) })
    }

    /// `Chat.users of "1": + "2" at 0, − "3" at 4`.
    private func line(of link: InspectedEvent.LinkChange) -> StyledText {
        var line =
            StyledText(link.parent.type + "." + link.relation, .heading)
            + StyledText(" of " + ValueText.text(of: link.parent.id) + ": ")
        let members =
            link.insertions.map { ("+ ", StyledText.Role.added, $0) }
            + link.removals.map { ("− ", .removed, $0) }
        for (position, (sign, role, member)) in members.enumerated() {
            if position > 0 { line += StyledText(", ") }
            line += StyledText(sign + ValueText.text(of: member.target.id), role)
            line += StyledText(" at \(member.position)")
        }
        return line
    }

    // MARK: Definitions

    private func lines(of type: InspectedType) -> [StyledText] {
        let headline =
            StyledText("* ", .faint) + StyledText(type.name, .heading)
            + StyledText("  type with ids of \(type.idType)", .faint)
        let fields = type.fields.map { ($0.name, $0.type) }
        let relations = type.relations.map { relation in
            let target = relation.isToMany ? "[\(relation.target)]" : relation.target
            let inverse = relation.inverse.map { ", inverse \($0)" } ?? ""
            let rule = relation.deleteRule == .nullify ? "" : ", \(relation.deleteRule.rawValue)"
            return (relation.name, "→ " + target + inverse + rule)
        }
        return [headline] + aligned((fields + relations).map { ($0.0, StyledText($0.1)) })
    }
}

extension InspectedEvent.Splice {
    /// Both sides are texts, as far as they tell: a cut may fall inside a character.
    var areTexts: Bool {
        String(validating: old, as: UTF8.self) != nil
            && String(validating: new, as: UTF8.self) != nil
    }

    fileprivate var oldText: String { text(of: old) }
    fileprivate var newText: String { text(of: new) }

    private func text(of bytes: [UInt8]) -> String {
        areTexts ? ValueText.quoted(String(decoding: bytes, as: UTF8.self)) : ValueText.data(bytes)
    }
}
