import Foundation
import Varve

/// An item of `Benchmarks/tool`, with the indexes of an app.
@EntityModel
private struct Item {
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

/// Makes the indexes of an app in the store that `Benchmarks/tool` imports: `ItemIndexes STORE`.
@main
struct ItemIndexes {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else { fail("usage: ItemIndexes STORE") }
        let url = URL(fileURLWithPath: CommandLine.arguments[1])
        let store = try Store(at: url, compactsAutomatically: false, types: [Item.self])
        // A compaction stores indexes where there is something to write: a change, and back.
        guard let item = Item.query(1).resolve(in: store.context) else {
            fail("the store has no item 1")
        }
        for note in ["changed", item.note] {
            try store.write { context in
                var changed = item
                changed.note = note
                try changed.save(to: &context)
            }
        }
        try store.compact()
        try store.close()
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(2)
    }
}
