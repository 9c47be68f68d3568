import Foundation
import Testing
import VarveGraph
import VarveTestSupport

@EntityModel
private struct Shell: Codable, Equatable {
    let id: Int
    @Relationship(inverse: \.outer) var inner: Shell?
    @Relationship(inverse: \.inner) var outer: Shell?

    static func nested(_ count: Int) -> Shell {
        (0..<count - 1).reversed().reduce(Shell(id: count - 1)) {
            Shell(id: $1, inner: .relation($0))
        }
    }
}

@Suite("JSON on threads with little stack")
struct SmallStackTests {
    @Test(
        "Entities are coded as far as the stack goes, and what is deeper is an error",
        arguments: [512, 256])
    func coding(kibibytes: Int) throws {
        let flat = Shell(id: 1, inner: .id(2))
        let text = Data(#"{"id":1,"outer":null,"inner":{"id":2}}"#.utf8)
        let deep = Shell.nested(5_000)
        let deepText = Data(
            (String(repeating: #"{"id":1,"outer":null,"inner":"#, count: 600) + "null"
                + String(repeating: "}", count: 600)).utf8)
        try onSmallStack(kibibytes: kibibytes) {
            let encoder = JSONEncoder()
            encoder.relationEncodingStrategy = .plain
            let data = try encoder.encode(flat)
            #expect(try JSONDecoder().decode(Shell.self, from: data).$inner.id == 2)
            #expect(try JSONDecoder().decode(Shell.self, from: text).$inner.id == 2)
            #expect(throws: EncodingError.self) { try encoder.encode(deep) }
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(Shell.self, from: deepText)
            }
        }
    }
}
