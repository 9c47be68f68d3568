import Varve

/// A command on a store that is there.
protocol StoreCommand {
    associatedtype Result: CommandResult

    /// Readers need no lock: they run while another process writes.
    static var mode: Store.Mode { get }

    func run(_ store: Store) throws -> Result
}

/// What a command found or did: its JSON, and its text for people.
protocol CommandResult {
    associatedtype JSON: Encodable

    var json: JSON { get }
    var status: ExitStatus { get }

    func lay(out layout: inout TextLayout)
}

extension CommandResult {
    var status: ExitStatus { .success }

    func writeJSON(to screen: Screen) throws { try screen.write(json: json) }
}
