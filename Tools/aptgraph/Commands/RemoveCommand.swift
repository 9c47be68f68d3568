import Varve

/// `remove NAME`
struct RemoveCommand: StoreCommand {
    static let mode = Store.Mode.readWrite

    let name: String

    func run(_ store: Store) throws -> PackageChange {
        let graph = PackageGraph(context: store.context)
        switch graph.meaning(of: name) {
        case .package(let package):
            let dependents = Package.query(name).related(\.$dependents).count(in: graph.context)
            try store.write("Remove \(name)") { context in try package.delete(from: &context) }
            return PackageChange(
                action: .removed, package: package, dependents: dependents,
                transaction: store.lastTransaction.rawValue)
        case .virtual: throw Failure("\(name) is a virtual package: remove what provides it")
        case .removed: throw Failure("\(name) was removed already")
        case .nothing: throw Failure.unknown(name)
        }
    }
}

/// A package that went or came back.
struct PackageChange: CommandResult {
    enum Action: String, Encodable {
        case removed, restored
    }

    let action: Action
    let package: Package
    /// Packages that depend on it.
    let dependents: Int
    let transaction: UInt64

    struct JSON: Encodable {
        var action: Action
        var name: String
        var version: String
        var dependents: Int
        var transaction: UInt64
    }

    var json: JSON {
        JSON(
            action: action, name: package.id, version: package.version, dependents: dependents,
            transaction: transaction)
    }

    func lay(out layout: inout TextLayout) {
        let amount = Quantity.count(dependents, "package")
        let verb = dependents == 1 ? "depends" : "depend"
        layout.line(
            "\(action.rawValue) " + layout.style.bold(package.id.printable)
                + " \(package.version.printable); \(amount) \(verb) on it")
    }
}
