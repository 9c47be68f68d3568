import Varve

/// `find WORD…`
struct FindCommand: StoreCommand {
    static let mode = Store.Mode.readOnly

    let words: [String]

    func run(_ store: Store) throws -> Answer {
        // A quoted argument may have several words.
        let words = words.flatMap { $0.split(whereSeparator: \.isWhitespace) }.map(String.init)
        guard !words.isEmpty else { throw Failure("there is no word to look for") }
        return Answer(words: words, packages: WordSearch(words).packages(in: store.context))
    }

    struct Answer: CommandResult {
        let words: [String]
        let packages: [Package]

        var status: ExitStatus { packages.isEmpty ? .failure : .success }

        struct Hit: Encodable {
            var name: String
            var version: String
            var summary: String?
        }

        var json: [Hit] {
            packages.map { Hit(name: $0.id, version: $0.version, summary: $0.summary) }
        }

        func lay(out layout: inout TextLayout) {
            let words = words.joined(separator: " ").printable
            guard !packages.isEmpty else {
                layout.line("no package has '\(words)' in its name or summary")
                return
            }
            let verb = packages.count == 1 ? "matches" : "match"
            layout.line(
                "\(Quantity.count(packages.count, "package")) \(verb) "
                    + layout.style.bold(words))
            layout.rows(packages.map { ($0.id, $0.summary ?? "") })
        }
    }
}
