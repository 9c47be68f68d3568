import AptGraphInput
import Testing

@Suite("Relations between packages")
struct RelationTests {
    private func groups(_ value: String) throws -> [[Dependency]] {
        try #require(try stanzas(of: minimal("p") + "Depends: \(value)\n").first)
            .groups(.depends).map(\.alternatives)
    }

    private func fault(_ value: String, field: String = "Depends") throws
        -> StanzaProblem.RelationFault?
    {
        let problem = try problems(of: minimal("p") + "\(field): \(value)\n").first
        guard case .malformedRelation(field, let fault)? = problem?.reason else { return nil }
        #expect(problem?.line == 4)
        return fault
    }

    @Test("Commas separate groups and bars alternatives, with or without spaces")
    func shape() throws {
        #expect(
            try groups("a,b|c ,  d | e") == [
                [Dependency(name: "a")], [Dependency(name: "b"), Dependency(name: "c")],
                [Dependency(name: "d"), Dependency(name: "e")],
            ])
    }

    @Test(
        "Every relation to a version is understood, the old single signs too",
        arguments: [
            ("<<", VersionRelation.earlier), ("<=", .earlierOrEqual), ("=", .equal),
            (">=", .laterOrEqual), (">>", .later), ("<", .earlierOrEqual), (">", .laterOrEqual),
        ])
    func versions(sign: String, relation: VersionRelation) throws {
        let constraint = VersionConstraint(relation, "1:2.0~rc1+dfsg-3")
        for text in ["a (\(sign) 1:2.0~rc1+dfsg-3)", "a(\(sign)1:2.0~rc1+dfsg-3 )"] {
            #expect(try groups(text) == [[Dependency(name: "a", constraint: constraint)]])
        }
    }

    @Test("Architecture qualifiers and lists are kept as written")
    func architectures() throws {
        let constraint = VersionConstraint(.laterOrEqual, "1.2")
        #expect(
            try groups("a (>= 1.2) [amd64 !i386], b | c:any") == [
                [Dependency(name: "a", constraint: constraint, architectures: ["amd64", "!i386"])],
                [Dependency(name: "b"), Dependency(name: "c", architectureQualifier: "any")],
            ])
    }

    @Test("A relation folded over several lines reads as one")
    func folded() throws {
        #expect(try groups("a,\n b\n | c\n\t, d").map(\.count) == [1, 2, 1])
    }

    @Test("Each kind of relation lands in its own group")
    func kinds() throws {
        for kind in DependencyKind.allCases {
            let stanza = try stanzas(of: minimal("p") + "\(kind.rawValue): x\n").first
            let expected = DependencyGroup(kind: kind, alternatives: [Dependency(name: "x")])
            #expect(stanza?.dependencies == [expected])
        }
    }

    @Test("Malformed relations name their fault")
    func faults() throws {
        #expect(try fault("a,,b") == .missingName)
        #expect(try fault("a,") == .missingName)
        #expect(try fault("| a") == .missingName)
        #expect(try fault("a |") == .missingName)
        #expect(try fault("-a") == .invalidName("-a"))
        #expect(try fault("b$x") == .invalidName("b$x"))
        #expect(try fault("a:") == .missingQualifier)
        #expect(try fault("a: any") == .missingQualifier)
        #expect(try fault("a (1.2)") == .invalidConstraint)
        #expect(try fault("a (>< 1.2)") == .invalidConstraint)
        #expect(try fault("a (>= )") == .invalidConstraint)
        #expect(try fault("a (>= 1.2") == .invalidConstraint)
        #expect(try fault("a (>= 1 2)") == .invalidConstraint)
        #expect(try fault("a [") == .invalidArchitectures)
        #expect(try fault("a []") == .invalidArchitectures)
        #expect(try fault("a [amd64") == .invalidArchitectures)
        #expect(try fault("a b") == .unexpectedText("b"))
        #expect(try fault("a (= 1) (= 2)") == .unexpectedText("(= 2)"))
        #expect(try fault("a | b", field: "Provides") == .alternativesInProvides)
        #expect(try fault("a (>= 1)", field: "Provides") == .inexactProvides)
    }

    @Test("Every beginning of a relation is either read or refused")
    func beginnings() throws {
        let value = Array("a:any (>= 1.2) [amd64 !i386] | bb, c (<< 3)".utf8)
        for count in 0...value.count {
            let bytes = Array((minimal("p") + "Depends: ").utf8) + value[..<count]
            #expect(try entries(of: bytes).count == 1)
        }
    }
}
