import Testing
import VarveEvents

@testable import VarveGraph

@Suite("Fields of stored indexes")
struct StoredIndexFieldTests {
    private enum Stage: String { case open }

    private static func field(_ type: StoredType) -> StoredIndexField {
        StoredIndexField(name: "field", type: type, isDescending: false)
    }

    @Test("A value becomes the bytes that rows have of it, and one of another type none")
    func values() {
        let text = Self.field(.optional(.string))
        #expect(text.bytes(of: "ab") == [1, 2, 0x61, 0x62])
        #expect(text.bytes(of: NilFirst<String>("ab")) == [1, 2, 0x61, 0x62])
        #expect(text.bytes(of: NilFirst<String>(nil)) == [0])
        #expect(text.bytes(of: String?.none as Any) == [0])
        #expect(text.bytes(of: 5) == nil && text.bytes(of: Stage.open) == nil)
        #expect(Self.field(.string).bytes(of: String?.none as Any) == nil)
    }

    @Test(
        "An enum becomes its raw value, and nil no bytes, because an unknown raw value is nil too")
    func rawValues() {
        let plain = Self.field(.raw("Stage", .string))
        #expect(plain.bytes(of: Stage.open) == [4] + Array("open".utf8))
        #expect(plain.bytes(of: "open") == nil && plain.isText)
        let optional = Self.field(.optional(.raw("Stage", .string)))
        #expect(optional.bytes(of: Stage?.some(.open) as Any) == [1, 4] + Array("open".utf8))
        #expect(optional.bytes(of: Stage?.none as Any) == nil)
        #expect(Self.field(.raw("Stage", .int64)).bytes(of: Stage.open) == nil)
    }
}
