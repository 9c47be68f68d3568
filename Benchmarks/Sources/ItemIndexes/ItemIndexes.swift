import Foundation
import Varve

/// Makes the indexes of an app in the store that `Benchmarks/tool` imports: `ItemIndexes STORE`.
@main
struct ItemIndexes {
    @EntityModel
    struct Item {
        @HashIndex<Self>(\.name) private var byName
        @Index<Self>(\.size) private var bySize
        @Index<Self>(\.section, \.size) private var bySection

        let id: Int64
        var name: String
        var section: String
        var size: Int64
        var price: Double
        var note: String?
    }

    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: ItemIndexes STORE\n".utf8))
            exit(2)
        }
        let url = URL(fileURLWithPath: CommandLine.arguments[1])
        let store = try Store(at: url, compactsAutomatically: false, types: [Item.self])
        // A compaction stores indexes where there is something to write.
        try store.write { context in
            guard var item = Item.query(1).resolve(in: context) else { return }
            item.note = "changed"
            try item.save(to: &context)
        }
        _ = try store.undo()
        try store.compact()
        try store.close()
    }
}
