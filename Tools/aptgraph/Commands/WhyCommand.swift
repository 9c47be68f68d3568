import Varve

/// `why FROM TO`
struct WhyCommand: StoreCommand {
    static let mode = Store.Mode.readOnly

    let start: String
    let end: String

    func run(_ store: Store) throws -> Answer {
        let graph = PackageGraph(context: store.context)
        switch graph.meaning(of: start) {
        case .package, .virtual: break
        case .removed: throw Failure.removed(start)
        case .nothing: throw Failure.unknown(start)
        }
        if let path = graph.path(from: start, to: end) {
            return Answer(start: start, end: end, path: path)
        }
        // A name that others name is worth an answer though no package has it.
        if case .nothing = graph.meaning(of: end), graph.reverseDependencies(of: end).isEmpty {
            throw Failure.unknown(end)
        }
        return Answer(start: start, end: end, path: nil)
    }

    struct Answer: CommandResult {
        let start: String
        let end: String
        /// Nil where no way leads there.
        let path: DependencyPath?

        var status: ExitStatus { path == nil ? .failure : .success }

        struct JSON: Encodable {
            struct Step: Encodable {
                var link: DependencyPath.Link
                var name: String
                var requirement: String
            }

            var from: String
            var to: String
            var found: Bool
            var steps: [Step]
        }

        var json: JSON {
            let steps = path?.steps.map { step in
                JSON.Step(
                    link: step.link, name: step.name, requirement: step.requirement ?? step.name)
            }
            return JSON(from: start, to: end, found: path != nil, steps: steps ?? [])
        }

        func lay(out layout: inout TextLayout) {
            guard let path else {
                layout.line("no dependencies lead from \(start.printable) to \(end.printable)")
                return
            }
            layout.line(layout.style.bold(path.start.printable))
            for (depth, step) in path.steps.enumerated() {
                let indent = String(repeating: "  ", count: min(depth + 1, 12))
                let room = layout.screen.width - indent.count
                layout.line(indent + Self.text(of: step, layout.style, room: room))
            }
            if path.steps.isEmpty { layout.line("  is what was asked for: no step is needed") }
        }

        private static func text(
            of step: DependencyPath.Step, _ style: TextStyle, room: Int
        ) -> String {
            let link =
                switch step.link {
                case .preDepends: "pre-depends on"
                case .depends: "depends on"
                case .providedBy: "is provided by"
                }
            let start = style.faint(link) + " " + style.bold(step.name.printable)
            guard let requirement = step.requirement?.printable else { return start }
            // Mostly the name and a version; else all alternatives, in parentheses.
            if requirement.hasPrefix(step.name + " ("), !requirement.contains(" | ") {
                return start + requirement.dropFirst(step.name.count)
            }
            let left = room - link.count - step.name.count - 4
            return start + " " + style.faint("[\(TextLayout.cut(requirement, width: left))]")
        }
    }
}
