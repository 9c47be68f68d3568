import Foundation
import VarveInspection

/// Finds the words that may end a command line.
struct Completer {
    /// A word with a few words about it.
    struct Candidate: Hashable {
        let value: String
        var help = ""
    }

    enum Completion: Hashable {
        case values([Candidate])
        case directories
        case files
    }

    private static let none = Completion.values([])

    let variables: [String: String]
    let now: Moment

    /// - Parameter words: behind the program's name; the last is being written, and may be empty.
    func completion(of words: [String]) -> Completion {
        let last = words.last ?? ""
        var before = words.dropLast()
        // Options may precede the command.
        while let word = before.first, word.hasPrefix("-") {
            before.removeFirst()
            if word == "--color" { before = before.dropFirst() }
        }
        guard let name = before.popFirst() else {
            return .values(
                last.hasPrefix("-") ? options(CommandDefinition.common) : Self.commands)
        }
        guard let command = Tool.command(named: name)?.definition else { return Self.none }
        return completion(of: last, behind: Array(before), for: command)
    }

    private static var commands: [Candidate] {
        Tool.commands.map { command in
            Candidate(value: command.definition.name, help: command.definition.summary)
        }
    }

    private func completion(
        of last: String, behind words: [String], for command: CommandDefinition
    ) -> Completion {
        let line = Line(words, options: command.allOptions)
        if let option = line.pending { return completion(of: option, last, command, line) }
        if !line.isOnlyOperands, last.hasPrefix("--"), let equals = last.firstIndex(of: "=") {
            let name = last[last.index(last.startIndex, offsetBy: 2)..<equals]
            guard let option = command.allOptions.first(where: { $0.name == name }) else {
                return Self.none
            }
            let value = String(last[last.index(after: equals)...])
            guard case .values(let values) = completion(of: option, value, command, line) else {
                return Self.none
            }
            return .values(
                values.map { Candidate(value: "--\(name)=" + $0.value, help: $0.help) })
        }
        if !line.isOnlyOperands, last.hasPrefix("-") { return .values(options(command.allOptions)) }
        let position = line.operands.count
        guard let operand = command.operands.dropFirst(position).first ?? command.repeatedOperand
        else { return Self.none }
        return completion(named: operand.name, of: last, command, line)
    }

    private func options(_ options: [OptionDefinition]) -> [Candidate] {
        options.map {
            Candidate(value: "--" + $0.name, help: $0.help.replacing("\n", with: " "))
        }
    }

    private func completion(
        of option: OptionDefinition, _ last: String, _ command: CommandDefinition, _ line: Line
    ) -> Completion {
        guard option.choices.isEmpty else {
            return .values(option.choices.map { Candidate(value: $0) })
        }
        return completion(named: option.valueName ?? "", of: last, command, line)
    }

    /// By what operands and values are called in the help.
    private func completion(
        named name: String, of last: String, _ command: CommandDefinition, _ line: Line
    ) -> Completion {
        switch name {
        case "STORE": return .directories
        case "TO", "NEW", "FILE", "OUTPUT", "INPUT", "DIRECTORY", "SCHEMA": return .files
        case "COMMAND": return .values(Self.commands)
        case "TOPIC":
            let topics = HelpTopic.all.map { Candidate(value: $0.name, help: $0.summary) }
            return .values(Self.commands + topics)
        case "SHELL": return .values(CompletionScript.all.map { Candidate(value: $0.shell) })
        case "cat": return .values([Candidate(value: "cat")])
        default: break
        }
        guard let path = line.value(of: "STORE", in: command) else { return Self.none }
        let store = StoreWords(path: expanded(path), now: now)
        switch name {
        case "TYPE", "QUERY": return .values(store.types())
        case "FIELD": return .values(store.fields(of: line.value(of: "TYPE", in: command)))
        case "ID":
            guard let type = line.value(of: "TYPE", in: command) else { return Self.none }
            let wantsDeleted = command.name == "restore" || line.has(CatCommand.deleted)
            return .values(store.ids(of: type, wantsDeleted ? .deleted : .live, beginning: last))
        case "TXN", "A", "B", "WHEN", "WHAT": return .values(store.transactions(beginning: last))
        default: return Self.none
        }
    }

    /// With the home directory in the place of a tilde, which no shell expands here.
    private func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = variables["HOME"] else { return path }
        return home + path.dropFirst()
    }
}

extension Completer {
    /// The words behind a command as far as they can be understood: nothing is refused.
    fileprivate struct Line {
        private(set) var operands: [String] = []
        private var values: [String: String] = [:]
        /// The option whose value is to follow.
        private(set) var pending: OptionDefinition?
        /// Whether two dashes are behind.
        private(set) var isOnlyOperands = false

        init(_ words: [String], options: [OptionDefinition]) {
            for word in words {
                if let option = pending {
                    values[option.name] = word
                    pending = nil
                } else if isOnlyOperands || !word.hasPrefix("-") || word == "-" {
                    operands.append(word)
                } else if word == "--" {
                    isOnlyOperands = true
                } else {
                    note(word, options)
                }
            }
        }

        private mutating func note(_ word: String, _ options: [OptionDefinition]) {
            guard word.hasPrefix("--") else {
                // The value of a letter follows it directly, or as the next word.
                guard let option = options.first(where: { $0.letter == word.last }) else { return }
                if option.takesValue { pending = option } else { values[option.name] = "" }
                return
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1)
            guard let option = options.first(where: { $0.name == parts.first ?? "" }) else {
                return
            }
            if option.takesValue, !word.contains("=") {
                pending = option
            } else {
                values[option.name] = parts.count > 1 ? String(parts[1]) : ""
            }
        }

        func has(_ option: OptionDefinition) -> Bool { values[option.name] != nil }

        /// The argument of an operand, or else of an option whose value has that name in the help.
        func value(of name: String, in command: CommandDefinition) -> String? {
            if let position = command.operands.firstIndex(where: { $0.name == name }) {
                return operands.dropFirst(position).first
            }
            return command.options.first { $0.valueName == name }.flatMap { values[$0.name] }
        }
    }
}
