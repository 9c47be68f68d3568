import Foundation
import SwiftDiagnostics
import Testing

@Suite("@EntityModel: indexes")
struct EntityModelIndexTests {
    private func expansion(_ members: String, in surroundings: (String) -> String = { $0 })
        -> Expansion
    {
        Expansion(surroundings("@EntityModel struct User { let id: Int\n\(members)\n}"))
    }

    /// The calls that describe indexes, each on one line.
    private func calls(_ expansion: Expansion) -> [String] {
        let lines = expansion.member("_describe").split(separator: "\n").map {
            $0.drop { $0 == " " }
        }
        var calls: [String] = []
        for line in lines.dropFirst().dropLast() {
            if line.hasPrefix("_description.") {
                calls.append(String(line))
            } else {
                calls[calls.count - 1] += line
            }
        }
        return calls.filter { !$0.hasPrefix("_description.id(") }
    }

    @Test("Each declaration becomes a call with its paths, in both directions where there is order")
    func kinds() {
        let expansion = expansion(
            #"""
            @Index<Self>(\.age) private var ageIndex
            @Index<Self>(\.name, \.age.desc) private var nameIndex
            @HashIndex<Self>(\.age, \.name) private var hash
            @Unique<Self>(\.name) private var uniqueName
            @Unique<Self>(\.name, \.age, collisions: .throw) private var both
            @FullTextIndex<Self>(\.name, \.note) private var text
            """#)
        #expect(expansion.messages == [])
        let library = "VarveGraph."
        #expect(
            calls(expansion) == [
                #"_description.index("ageIndex",[\#(library)_OrderedProperty(\Self.age, reversed: \Self.age.desc),])"#,
                #"_description.index("nameIndex",[\#(library)_OrderedProperty(\Self.name, reversed: \Self.name.desc),"#
                    + #"\#(library)_OrderedProperty(\Self.age, descending: \Self.age.desc, reversed: \Self.age.desc.desc),])"#,
                #"_description.hashIndex("hash",[\#(library)_HashedProperty(\Self.age),\#(library)_HashedProperty(\Self.name),])"#,
                #"_description.unique("uniqueName",[\#(library)_UniqueProperty(\Self.name),])"#,
                #"_description.unique("both",[\#(library)_UniqueProperty(\Self.name),\#(library)_UniqueProperty(\Self.age),], collisions: .throw)"#,
                #"_description.fullTextIndex("text",[\#(library)_SearchedProperty(\Self.name),\#(library)_SearchedProperty(\Self.note),])"#,
            ])
    }

    @Test("A path that names the entity is one from Self, however it is spelled")
    func roots() {
        let paths = [
            (#"\.a"#, #"\Self.a"#), (#"\Self.a"#, #"\Self.a"#), (#"\User.a.b"#, #"\Self.a.b"#),
            (#"\V1.User.a"#, #"\Self.a"#), (#"\Schema.V1.User.a?.b"#, #"\Self.a?.b"#),
            (#"\Other.a"#, #"\Other.a"#), (#"\.user.a[0]"#, #"\Self.user.a[0]"#),
        ]
        for (written, expected) in paths {
            let expansion = expansion("@HashIndex<Self>(\(written)) private var index") {
                "extension Schema.V1 { \($0) }"
            }
            #expect(expansion.messages == [])
            #expect(
                calls(expansion)
                    == [
                        #"_description.hashIndex("index",[VarveGraph._HashedProperty(\#(expected)),])"#
                    ])
        }
    }

    @Test("A generic entity may name itself with its arguments")
    func genericRoot() {
        let expansion = Expansion(
            #"@EntityModel struct Box<T> { @HashIndex<Box<T>>(\Box<T>.kind) var index; let id: Int }"#
        )
        #expect(expansion.messages == [])
        #expect(expansion.member("_describe").contains(#"_HashedProperty(\Self.kind)"#))
    }

    @Test("A property of the entity that is called `desc` is no direction")
    func propertyCalledDesc() {
        #expect(
            calls(expansion(#"@Index<Self>(\.desc) private var index"#)) == [
                #"_description.index("index",[VarveGraph._OrderedProperty(\Self.desc, reversed: \Self.desc.desc),])"#
            ])
    }

    @Test("What cannot be an index is refused, with the reason")
    func misuse() {
        let cases = [
            (
                #"@Index<Self> private var x"#,
                #"the index 'x' needs the properties that it is about: write '@Index<Self>(\.property)'"#
            ),
            (
                #"@Unique<Self>(collisions: .throw) private var x"#,
                #"the index 'x' needs the properties that it is about: write '@Unique<Self>(\.property)'"#
            ),
            (
                #"@HashIndex<Self>(\.a, \.b, \.c, \.d, \.e) private var x"#,
                "the index 'x' has more than 4 properties"
            ),
            (
                #"@Index<Self>(\.a, order: 1) private var x"#,
                "'@Index' has no argument 'order'"
            ),
            (
                #"@Index<Self>(\.a, collisions: .throw) private var x"#,
                "'@Index' has no argument 'collisions'"
            ),
            (
                #"@Index<Self>(path) private var x"#,
                #"the index 'x' needs key path literals, such as '\.age' or '\.age.desc'"#
            ),
            (
                "#if DEBUG\n@Index<Self>(\\.a) private var x\n#endif",
                "the index 'x' depends on '#if', where '@EntityModel' does not see it: move it out of"
                    + " '#if'"
            ),
        ]
        for (source, message) in cases {
            #expect(expansion(source).messages == [message])
        }
    }

    @Test("The id's type is named where an index reads it, unless the struct does so itself")
    func indexedID() {
        func alias(_ members: String) -> String {
            Expansion("@EntityModel public struct User { \(members) }").member("typealias")
        }
        let index = #"@Index<Self>(\.name, \.id.desc) var index"#
        #expect(alias("\(index); public let id: [Int]") == "public typealias ID = [Int]")
        #expect(alias("public let id: Int; @Index<Self>(\\.name) var index") == "")
        #expect(alias("\(index); public typealias ID = Int; public let id: ID") == "")
        #expect(alias("\(index); public let id: ID") == "")
        #expect(
            Expansion("@EntityModel struct User { \(index); var id = UUID() }").messages == [
                "the index 'index' is about 'id', whose type must then be written out, such as in"
                    + " 'var id: UUID'"
            ])
    }

    @Test("An ordered index of an optional needs nilFirst, which the fix adds")
    func optionals() {
        let source =
            #"@EntityModel struct A { let id: Int; let a: Int?; @Index<Self>(\.a.desc) var x }"#
        let expansion = Expansion(source)
        #expect(
            expansion.messages == [
                #"'a' is optional, and optionals have no order: write '\.a.nilFirst.desc', which has nil in front"#
            ])
        #expect(
            expansion.fixes.map(\.result)
                == [source.replacingOccurrences(of: #"\.a.desc"#, with: #"\.a.nilFirst.desc"#)])
        let fine = [
            #"@Index<Self>(\.a.nilFirst)"#, #"@HashIndex<Self>(\.a)"#, #"@Unique<Self>(\.a)"#,
            #"@Index<Self>(\.a!)"#, #"@Index<Self>(\.a.isSet)"#,
        ]
        for index in fine {
            #expect(
                Expansion("@EntityModel struct A { let id: Int; var a: Int?; \(index) var x }")
                    .messages == [])
        }
    }

    @Test("An index cannot be about an asset", arguments: ["Index", "HashIndex", "Unique"])
    func assets(kind: String) {
        let source = "@EntityModel struct A { let id: Int; @\(kind)<Self>(\\.photo) var x; "
        #expect(
            Expansion(source + "var photo: Asset<Data> }").messages
                == [
                    "the index 'x' cannot be about the asset 'photo': a row has its digest and size"
                        + " alone; keep what is to be found in a property of its own"
                ])
        #expect(Expansion(source + "var photo: Asset }").messages == [])
    }

    @Test("An index cannot be about a relation")
    func relations() {
        for path in [#"\.$team.id"#, #"\.team?.name"#, #"\Self.$team"#] {
            #expect(
                expansion("@HashIndex<Self>(\(path)) var x; @Relationship() var team: Team?")
                    .messages
                    == [
                        "the index 'x' cannot be about the relation 'team': a row is stored without its"
                            + " relations, and links need no index, because every relation is one"
                    ])
        }
    }

    @Test("A static index works, with a warning and a fix")
    func staticIndex() {
        let expansion = expansion(#"@Index<Self>(\.a) static var x"#)
        #expect(expansion.messages == ["Index should be declared as instance property"])
        #expect(expansion.diagnostics.map(\.diagMessage.severity) == [.warning])
        #expect(expansion.fixes.first?.result.contains("static") == false)
        #expect(calls(expansion).count == 1)
    }

    @Test("An index cannot be about a property that reads a relation, itself or through another")
    func relationReaders() {
        let message =
            "the index 'x' cannot be about 'team_id', which reads the relation 'team': a row is stored"
            + " without its relations; keep what is indexed in a stored property"
        let bodies = [
            #"var team_id: String { $team.id ?? "" }"#,
            #"var team_id: String { team?.id ?? "" }"#,
            #"var team_id: String { get { self.team?.id ?? "" } }"#,
            #"var team_id: String { other + "x" }; var other: String { _team.wrappedValue?.id ?? "" }"#,
            #"var team_id: String { other() }; func other() -> String { team?.id ?? "" }"#,
            #"var team_id: String { self.other(of: 1) }; func other(of n: Int) -> String { team!.id }"#,
            #"var team_id: String { [1].map(other)[0] }; func other(_ n: Int) -> String { team!.id }"#,
            #"var team_id: String { other { $0 } }; func other(_ f: () -> Void) -> String { team!.id }"#,
            #"var team_id: String { if let team { team.id } else { "" } }"#,
            #"var team_id: String { guard let team else { return "" }; return team.id }"#,
            #"var team_id: String { let team = team; return team?.id ?? "" }"#,
            #"var team_id: String { if name == "" { let team = name; return team }; return team!.id }"#,
            #"var team_id: String { if let team = name { team } else { team!.id } }"#,
            #"var team_id: String { guard let team = name else { return team!.id }; return team }"#,
            #"var team_id: String { [name].map { [team] in $0 + team!.id }[0] }"#,
            #"var team_id: String { for team in [name] { print(team) }; return team!.id }"#,
            #"var team_id: String { get { "\(team!.id)" } set { name = newValue } }"#,
        ]
        for body in bodies {
            let expansion = expansion(
                #"@Unique<Self>(\.name, \.team_id) var x; @Relationship() var team: Team?; \#(body)"#
            )
            #expect(expansion.messages == [message], "\(body)")
            #expect(expansion.places == [#"\.team_id"#], "\(body)")
        }
        let fine = [
            #"var team_id: String { name }"#, #"var team_id: String { origin.team }"#,
            #"var team_id: String { let team = name; return team }"#,
            #"var team_id: String { join(team: name) }"#, #"var team_id = "team""#,
            #"static var team_id: String { team }"#, #"var team_id: String { Self.team }"#,
            #"var team_id: String { name == .team ? "a" : "b" }"#,
            #"var team_id: String { [name].map { team in team }[0] }"#,
            #"var team_id: String { [name].map { (team: String) -> String in team }[0] }"#,
            #"var team_id: String { if let team = name { return team }; return "" }"#,
            #"var team_id: String { guard let team = name else { return "" }; return team }"#,
            #"var team_id: String { for team in [name] { return team }; return "" }"#,
            #"var team_id: String { while let team = name { return team }; return "" }"#,
            #"var team_id: String { switch kind { case .a(let team): team; case let .b(team): team } }"#,
            #"var team_id: String { let (team, _) = (name, 1); return team }"#,
            #"var team_id: String { func team() -> String { name }; return team() }"#,
            #"var team_id: String { struct S { var team = 1; var b: Int { team } }; return name }"#,
            #"var team_id: String { other(name) }; func other(_ team: String) -> String { team }"#,
            #"var team_id: String { other(1) }; func other(a: Int) -> String { team!.id }"#,
            #"var team_id: String { Self.other() }; func other() -> String { team!.id }"#,
            #"var team_id: String { get { name } set { team = nil } }"#,
            #"var team_id: String { map(\.team) }"#,
        ]
        for body in fine {
            let expansion = expansion(
                #"@Unique<Self>(\.name, \.team_id) var x; @Relationship() var team: Team?; \#(body)"#
            )
            #expect(expansion.messages == [], "\(body)")
        }
    }
}
