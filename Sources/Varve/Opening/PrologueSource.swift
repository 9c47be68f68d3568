internal import VarveEvents
internal import VarveLog

/// Gives the log the definitions for the head of each new segment: those of everything that was
/// logged so far.
final class PrologueSource: Sendable {
    private let catalog: Lock<Catalog>

    init(catalog: Catalog) { self.catalog = Lock(catalog) }

    /// The catalog behind the newest appended transaction.
    func update(_ catalog: Catalog) { self.catalog.withLock { $0 = catalog } }

    func bytes() -> [UInt8] { catalog.withLock { $0 }.encodedDefinitions() }
}
