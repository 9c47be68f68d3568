/// A command line that was understood.
struct Invocation: Equatable, Sendable {
    enum Request: Equatable, Sendable {
        case help(CommandName?)
        case version
        case run(CommandName, store: String, operands: [String])
    }

    var request: Request
    var wantsJSON = false
    /// The value of `--architecture`.
    var architecture: String?
}

/// A command line that was not.
struct UsageError: Error, Equatable, Sendable {
    var message: String
    var command: CommandName?

    init(_ message: String, in command: CommandName? = nil) {
        self.message = message
        self.command = command
    }
}

extension Invocation {
    private enum Option: String, CaseIterable {
        case store, json, architecture, help, version

        var takesValue: Bool { self == .store || self == .architecture }
    }

    /// Understands a command line as GNU programs do: options before or behind operands, a value
    /// behind `=` or in the next argument, names cut short while they are unmistakable, and none
    /// behind `--`.
    init(parsing arguments: [String]) throws(UsageError) {
        var options: [Option: String] = [:]
        var operands: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                rest = []
            } else if argument.hasPrefix("--") {
                let (option, value) = try Self.option(argument, &rest)
                options[option] = value
            } else if argument == "-h" {
                options[.help] = ""
            } else if argument.hasPrefix("-"), argument != "-" {
                throw UsageError("invalid option '\(argument)'")
            } else {
                operands.append(argument)
            }
        }
        self.init(request: try Self.request(options, operands))
        wantsJSON = options[.json] != nil
        architecture = options[.architecture]
    }

    private static func option(
        _ argument: String, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> (Option, value: String) {
        let parts = argument.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let matches = Option.allCases.filter { $0.rawValue.hasPrefix(name) }
        let exact = matches.first { $0.rawValue == name }
        guard let option = exact ?? matches.first else {
            throw UsageError("unrecognized option '--\(name)'")
        }
        guard exact != nil || matches.count == 1 else {
            throw UsageError("option '--\(name)' is ambiguous")
        }
        guard option.takesValue else {
            guard parts.count == 1 else {
                throw UsageError("option '--\(option.rawValue)' doesn't allow an argument")
            }
            return (option, "")
        }
        guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst(), !value.isEmpty
        else { throw UsageError("option '--\(option.rawValue)' requires an argument") }
        return (option, value)
    }

    private static func request(
        _ options: [Option: String], _ operands: [String]
    ) throws(UsageError) -> Request {
        let command = operands.first.flatMap(CommandName.init(rawValue:))
        if options[.help] != nil { return .help(command) }
        if options[.version] != nil { return .version }
        guard let name = operands.first else { throw UsageError("missing command") }
        guard let command else { throw UsageError("unknown command '\(name)'") }
        let operands = Array(operands.dropFirst())
        guard let store = options[.store] else {
            throw UsageError("option '--store' is required", in: command)
        }
        if options[.architecture] != nil, command != .import {
            throw UsageError("option '--architecture' is only for import", in: command)
        }
        if operands.count < command.operandCount.lowerBound {
            throw UsageError("missing operand", in: command)
        }
        if operands.count > command.operandCount.upperBound {
            let extra = operands[command.operandCount.upperBound]
            throw UsageError("extra operand '\(extra)'", in: command)
        }
        return .run(command, store: store, operands: operands)
    }
}
