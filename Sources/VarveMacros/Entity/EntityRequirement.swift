/// What the macro generates, each unless the struct declares it itself.
enum EntityRequirement: String, CaseIterable {
    case idAlias = "typealias ID"
    case descriptor = "static _descriptor"
    case describe = "static _describe(_:)"
    case store = "_store(into:)"
    case decode = "init(_id:from:)"
    case decodeAgain = "init(_id:rereading:)"
    case fill = "init(_fill:into:)"
    case changes = "static _changes(from:to:into:)"
    case storeID = "static _storeID(_:into:)"
    case loadID = "static _loadID(from:)"
    case sameID = "static _sameID(_:_:)"
    case hashID = "static _hashID(_:)"
    case normalize = "_normalize()"
    case saveRelations = "_saveRelations(to:at:)"
    case patching = "init(_patching:with:)"
    case patch = "static patch"
}
