import Testing
import Varve

/// What a draft must come to: values with the number of the write that gave them.
struct DraftModel {
    struct Cell: Equatable {
        var value: String
        var version: Int
    }

    struct Row: Equatable {
        var title: Cell
        /// Empty for none.
        var author: Cell
    }

    typealias State = [Int: Row]

    /// A change of one book: of its title or its author, or its insertion or deletion.
    enum Change {
        case title(Int, String)
        case author(Int, String)
        case insert(Int, String, author: String)
        case delete(Int)

        func apply(to context: inout Context) throws {
            switch self {
            case .title(let id, let title):
                guard var book: Book = context.find(id) else { return }
                book.title = title
                try book.save(to: &context)
            case .author(let id, let author):
                guard var book: Book = context.find(id) else { return }
                book.$author = author.isEmpty ? .null : .id(author)
                try book.save(to: &context)
            case .insert(let id, let title, let author):
                try Book(id: id, title: title, author: author.isEmpty ? .none : .id(author))
                    .save(to: &context)
            case .delete(let id): try Book.delete(id: id, from: &context)
            }
        }

        func apply(to state: inout State, version: Int) {
            switch self {
            case .title(let id, let title):
                guard let row = state[id], row.title.value != title else { return }
                state[id]?.title = Cell(value: title, version: version)
            case .author(let id, let author):
                guard let row = state[id], row.author.value != author else { return }
                state[id]?.author = Cell(value: author, version: version)
            case .insert(let id, let title, let author):
                state[id] = Row(
                    title: Cell(value: title, version: version),
                    author: Cell(value: author, version: version))
            case .delete(let id): state[id] = nil
            }
        }
    }

    /// What a merge comes to: conflicts as "id kind", and the titles and authors behind them.
    static func merge(
        _ base: State, _ mine: State, _ theirs: State, keepsMine: (Int) -> Bool
    ) -> (conflicts: Set<String>, values: [Int: [String]]) {
        var conflicts: Set<String> = []
        var values = theirs.mapValues { [$0.title.value, $0.author.value] }
        for id in Set(base.keys).union(mine.keys) {
            switch (base[id], mine[id], theirs[id]) {
            case (let was?, let has?, let have?):
                for (index, path) in [\Row.title, \Row.author].enumerated() {
                    let (old, own, other) = (
                        was[keyPath: path], has[keyPath: path], have[keyPath: path]
                    )
                    guard own.value != old.value, own.value != other.value else { continue }
                    let isConflict = other.value != old.value || other.version > old.version
                    if isConflict { conflicts.insert("\(id) \(index == 0 ? "title" : "author")") }
                    if !isConflict || keepsMine(id) { values[id]?[index] = own.value }
                }
            case (let was?, let has?, nil):
                guard was.title.value != has.title.value || was.author.value != has.author.value
                else { continue }
                conflicts.insert("\(id) lost")
                if keepsMine(id) { values[id] = [has.title.value, has.author.value] }
            case (let was?, nil, let have?):
                let isTitled =
                    have.title.value != was.title.value || have.title.version > was.title.version
                let isLed = have.author.value != was.author.value && !have.author.value.isEmpty
                if isTitled || isLed { conflicts.insert("\(id) deleted") }
                if !(isTitled || isLed) || keepsMine(id) { values[id] = nil }
            case (nil, let has?, let have?):
                if has.title.value != have.title.value {
                    conflicts.insert("\(id) twins")
                    if keepsMine(id) { values[id] = [has.title.value, has.author.value] }
                } else if !has.author.value.isEmpty, has.author.value != have.author.value {
                    let isLed = !have.author.value.isEmpty
                    if isLed { conflicts.insert("\(id) author") }
                    if !isLed || keepsMine(id) {
                        values[id]?[1] = has.author.value
                    }
                }
            case (nil, let has?, nil): values[id] = [has.title.value, has.author.value]
            case (_, nil, _): break
            }
        }
        return (conflicts, values)
    }

    static func text(_ conflict: DraftConflict) -> String {
        let kind =
            switch conflict.kind {
            case .property(let name), .relation(let name): name
            case .deletedByOthers: "lost"
            case .deletedInDraft: "deleted"
            case .insertedTwice: "twins"
            default: "\(conflict.kind)"
            }
        return "\(conflict.id) \(kind)"
    }

    static func values(_ context: Context) -> [Int: [String]] {
        var values: [Int: [String]] = [:]
        for book in Book.query().with(\.$author).resolve(in: context) {
            values[book.id] = [book.title, book.author?.id ?? ""]
        }
        return values
    }
}
