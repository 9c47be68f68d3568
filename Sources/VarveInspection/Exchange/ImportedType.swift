/// A type of the store that an import fills.
struct ImportedType {
    let definition: TypeDefinition
    let layout: RowLayout
    /// Of each field: whether its values name assets.
    let holdsAssets: [Bool]
    private let fields: [String: Int]
    private let relations: [String: Int]

    init(_ definition: TypeDefinition) {
        self.definition = definition
        layout = RowLayout(definition)
        holdsAssets = definition.fields.map(\.type.holdsAssets)
        fields = Dictionary(definition.fields.enumerated().map { ($0.element.name, $0.offset) }) {
            first, _ in first
        }
        relations = Dictionary(
            definition.relations.enumerated().map { ($0.element.name, $0.offset) }
        ) { first, _ in first }
    }

    var table: Int { Int(definition.number.rawValue) - 1 }

    func field(_ name: String) -> Int? { fields[name] }

    func relation(_ name: String) -> Int? { relations[name] }

    /// Why a name is refused.
    func problem(_ name: String, at offset: Int) -> ExchangeProblem {
        let known =
            ["id"] + definition.fields.map(\.name) + definition.relations.map(\.name)
        return ExchangeProblem(
            "'\(definition.name)' has no '\(name)'; it has " + known.joined(separator: ", "),
            at: offset)
    }
}
