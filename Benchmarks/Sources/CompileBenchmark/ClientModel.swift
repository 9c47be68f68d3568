/// The source of an app's module that declares so many entities and does nothing with them.
struct ClientModel: Codable, Hashable {
    let entityCount: Int

    /// One entity has two fields beside its id. Several are a chain of parents and children, each with an index:
    /// ordered and unique in turns.
    var source: String {
        let entities = (0..<entityCount).map { entityCount == 1 ? plainEntity : entity($0) }
        return (["import Varve"] + entities).joined(separator: "\n\n") + "\n"
    }

    private var plainEntity: String {
        """
        @EntityModel
        struct Entity0 {
            let id: String
            var name: String
            var count: Int
        }
        """
    }

    private func entity(_ number: Int) -> String {
        let index =
            number.isMultiple(of: 2)
            ? "@Index<Self>(\\.count) private var byCount"
            : "@Unique<Self>(\\.name, collisions: .throw) private var byName"
        var members = [index, "let id: String", "var name: String", "var count: Int"]
        if number + 1 < entityCount {
            members.append("@Relationship(inverse: \\.parent) var children: [Entity\(number + 1)]?")
        }
        if number > 0 {
            members.append("@Relationship(inverse: \\.children) var parent: Entity\(number - 1)?")
        }
        return (["@EntityModel", "struct Entity\(number) {"] + members.map { "    " + $0 } + ["}"])
            .joined(separator: "\n")
    }
}
