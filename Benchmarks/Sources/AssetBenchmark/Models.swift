import Foundation
import Varve

/// Contents as values of properties.
@EntityModel
struct PlainPage {
    let id: Int
    var text: String = ""
    var image: Data = Data()
}

/// Contents as assets.
@EntityModel
struct AssetPage {
    let id: Int
    var text: Asset<String>?
    var image: Asset<Data>?
}

/// How a content is kept.
enum Keeping: String {
    case property, asset
}

extension Store {
    /// A store that keeps all history until it is compacted, and compacts when it is told.
    static func measured(at url: URL) throws -> Store {
        try Store(
            at: url, retention: .newestState, compactsAutomatically: false, PlainPage.self,
            AssetPage.self)
    }
}
