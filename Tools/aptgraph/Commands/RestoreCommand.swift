import Varve

/// `restore NAME`
struct RestoreCommand: StoreCommand {
    static let mode = Store.Mode.readWrite

    let name: String

    func run(_ store: Store) throws -> PackageChange {
        guard let removed = Deleted<Package>.query(name).resolve(in: store.context) else {
            guard Package.query(name).exists(in: store.context) else {
                throw Failure("no removed package is called '\(name)'")
            }
            throw Failure("\(name) is there: it was not removed")
        }
        try store.write("Restore \(name)") { context in try removed.restore(in: &context) }
        let dependents = Package.query(name).related(\.$dependents).count(in: store.context)
        return PackageChange(
            action: .restored, package: removed.entity, dependents: dependents,
            transaction: store.lastTransaction.rawValue)
    }
}
