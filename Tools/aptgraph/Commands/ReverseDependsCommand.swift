import Varve

/// `rdepends NAME`
struct ReverseDependsCommand: StoreCommand {
    static let mode = Store.Mode.readOnly

    let name: String

    func run(_ store: Store) throws -> Answer {
        let graph = PackageGraph(context: store.context)
        let reverse = graph.reverseDependencies(of: name)
        if reverse.isEmpty {
            switch graph.meaning(of: name) {
            case .package, .virtual: break
            case .removed: throw Failure.removed(name)
            case .nothing: throw Failure.unknown(name)
            }
        }
        return Answer(name: name, reverse: reverse)
    }

    struct Answer: CommandResult {
        let name: String
        let reverse: ReverseDependencies

        struct JSON: Encodable {
            var name: String
            /// Names by what the packages say of this one: `depends`, `recommends`, …
            var packages: [String: [String]]
        }

        var json: JSON {
            var packages: [String: [String]] = [:]
            for kind in ReverseDependencies.Kind.allCases {
                packages[kind.rawValue] = reverse[kind].map(\.id)
            }
            return JSON(name: name, packages: packages)
        }

        func lay(out layout: inout TextLayout) {
            if reverse.isEmpty {
                layout.line("no package needs or wishes for \(name.printable)")
            }
            var isFirst = true
            for kind in ReverseDependencies.Kind.allCases where !reverse[kind].isEmpty {
                if !isFirst { layout.line() }
                isFirst = false
                let packages = reverse[kind]
                let verb = Self.verb(kind, isPlural: packages.count != 1)
                layout.line(
                    "\(Quantity.count(packages.count, "package")) \(verb) "
                        + layout.style.bold(name.printable))
                layout.rows(packages.map { ($0.id, $0.summary ?? "") })
            }
        }

        private static func verb(_ kind: ReverseDependencies.Kind, isPlural: Bool) -> String {
            let ending = isPlural ? "" : "s"
            return switch kind {
            case .preDepends: "pre-depend\(ending) on"
            case .depends: "depend\(ending) on"
            case .recommends: "recommend\(ending)"
            case .suggests: "suggest\(ending)"
            case .enhances: "enhance\(ending)"
            }
        }
    }
}
