import VarveTerminal

/// What a key does. The table of keys is here and nowhere else: keys are found, hinted at and explained by it.
enum BrowseAction: Hashable, Sendable, CaseIterable {
    case open, back, down, up, pageDown, pageUp, first, last, right, left
    case nextSection, next, previous
    case search, searchNext, searchPrevious, goTo
    case types, state, definition, tombstones
    case reload, problems, help, redraw, suspend, quit

    /// The keys, the most usual first.
    var keys: [Key] {
        switch self {
        case .open: [.enter]
        case .back: [.character("q"), .escape]
        case .down: [.down, .character("j"), .control("n")]
        case .up: [.up, .character("k"), .control("p")]
        case .pageDown: [.pageDown, .character(" "), .control("f"), .control("d")]
        case .pageUp: [.pageUp, .character("b"), .control("b"), .control("u")]
        case .first: [.home, .character("g")]
        case .last: [.end, .character("G")]
        case .right: [.right, .character("l")]
        case .left: [.left, .character("h")]
        case .nextSection: [.tab]
        case .next: [.character("J")]
        case .previous: [.character("K")]
        case .search: [.character("/")]
        case .searchNext: [.character("n")]
        case .searchPrevious: [.character("N")]
        case .goTo: [.character(":")]
        case .types: [.character("t")]
        case .state: [.character("@")]
        case .definition: [.character("d")]
        case .tombstones: [.character("x")]
        case .reload: [.character("R")]
        case .problems: [.character("!")]
        case .help: [.character("?")]
        case .redraw: [.control("l")]
        case .suspend: [.control("z")]
        case .quit: [.character("Q"), .control("c")]
        }
    }

    /// A word or two, for the status line.
    var hint: String {
        switch self {
        case .open: "open"
        case .back: "back"
        case .down: "down"
        case .up: "up"
        case .pageDown: "page"
        case .pageUp: "page back"
        case .first: "first"
        case .last: "last"
        case .right: "right"
        case .left: "left"
        case .nextSection: "part"
        case .next: "next"
        case .previous: "previous"
        case .search: "search"
        case .searchNext: "next match"
        case .searchPrevious: "match before"
        case .goTo: "go to"
        case .types: "types"
        case .state: "state as of"
        case .definition: "definition"
        case .tombstones: "deleted"
        case .reload: "reload"
        case .problems: "damage"
        case .help: "help"
        case .redraw: "redraw"
        case .suspend: "suspend"
        case .quit: "quit"
        }
    }

    /// For the help. At most 58 columns, so that it fits a narrow screen.
    var explanation: String {
        switch self {
        case .open: "open the selected transaction, entity, type or value"
        case .back: "go back; from the log, q ends"
        case .down: "one row down"
        case .up: "one row up"
        case .pageDown: "a page down"
        case .pageUp: "a page up"
        case .first: "the first row"
        case .last: "the last row"
        case .right: "show what is further right"
        case .left: "back to the left"
        case .nextSection: "the next part: fields, links, history; the next change"
        case .next: "the next of the list, without going back to it"
        case .previous: "the one before"
        case .search: "search labels, authors, scopes, ids and values (Aa: exact)"
        case .searchNext: "the next match"
        case .searchPrevious: "the match before"
        case .goTo: "go to the transaction with a number"
        case .types: "the types, with counts and bytes"
        case .state: "the state as of this transaction: types, then entities"
        case .definition: "the definition of the type: fields and relations"
        case .tombstones: "deleted entities instead of live ones, and back"
        case .reload: "read the newest state"
        case .problems: "what is damaged or lost"
        case .help: "this help"
        case .redraw: "draw the screen anew"
        case .suspend: "suspend, as in a shell"
        case .quit: "end at once"
        }
    }

    /// An arrow with a modifier does what it does without.
    static func action(for key: Key) -> BrowseAction? {
        switch key {
        case .shiftUp: byKey[.up]
        case .shiftDown: byKey[.down]
        default: byKey[key]
        }
    }

    private static let byKey = [Key: BrowseAction](
        allCases.flatMap { action in action.keys.map { ($0, action) } },
        uniquingKeysWith: { first, _ in first })
}

extension Key {
    /// As people write it.
    var name: String {
        switch self {
        case .character(" "): "Space"
        case .character(let character): String(character)
        case .enter: "Enter"
        case .escape: "Esc"
        case .backspace: "Backspace"
        case .delete: "Delete"
        case .tab: "Tab"
        case .backTab: "Shift-Tab"
        case .up: "↑"
        case .down: "↓"
        case .shiftUp: "Shift-↑"
        case .shiftDown: "Shift-↓"
        case .left: "←"
        case .right: "→"
        case .home: "Home"
        case .end: "End"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .control(let letter): "^" + String(letter).uppercased()
        }
    }
}
