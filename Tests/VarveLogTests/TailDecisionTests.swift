import Foundation
import Testing
import VarveLog

@Suite("The decision about the end of a log")
struct TailDecisionTests {
    static let everyFact: [TailFacts] = TailEnding.allCases.flatMap { ending in
        (0..<16).map { bits in
            TailFacts(
                ending: ending, isSealed: bits & 1 != 0, isInsideTransaction: bits & 2 != 0,
                isPromisedBeyondCut: bits & 4 != 0, endsWithCleanSeal: bits & 8 != 0)
        }
    }

    @Test("Exactly one rule matches any facts, and every rule matches some")
    func exactlyOneRule() {
        var used: Set<String> = []
        for facts in Self.everyFact {
            let matching = TailRule.table.filter { $0.matches(facts) }
            #expect(matching.count == 1, "\(facts): \(matching.map(\.label))")
            used.formUnion(matching.map(\.label))
        }
        #expect(used == Set(TailRule.table.map(\.label)))
        #expect(Self.everyFact.count == 144)
    }

    @Test("Promised bytes are never cut, and a sealed segment never loses any")
    func safety() {
        for facts in Self.everyFact {
            let decision = TailDecision.decide(facts)
            if facts.isPromisedBeyondCut || facts.isSealed { #expect(decision != .cutTail) }
            if decision == .appendBehindSeal {
                #expect(facts.endsWithCleanSeal)
                #expect(TailRule.emptyEndings.contains(facts.ending))
            }
            if facts.ending == .unsupportedFrame { #expect(decision == .refuseUnsupported) }
        }
    }

    @Test("A power cut alone, which breaks no promise, is never refused")
    func neverRefusedFalsely() {
        let afterCrash = Self.everyFact.filter { facts in
            !facts.isSealed && !facts.isPromisedBeyondCut && facts.ending != .invalidFrame
                && facts.ending != .unsupportedFrame
        }
        for facts in afterCrash {
            let decision = TailDecision.decide(facts)
            #expect(decision != .refuseDamaged && decision != .refuseUnsupported, "\(facts)")
        }
    }

    @Test("A roll is taken for interrupted only where nothing stands behind the missing footer")
    func rolls() {
        let table: [(Bool, SuccessorState, RollDecision)] = [
            (false, .absent, .active), (false, .empty, .activeBeforeInterruptedRoll),
            (false, .filled, .refuseUnsealed), (true, .absent, .refuseSuccessorMissing),
            (true, .empty, .sealed), (true, .filled, .sealed),
        ]
        for (hasFooter, successor, decision) in table {
            #expect(RollDecision.decide(hasFooter: hasFooter, successor: successor) == decision)
        }
        #expect(table.count == 2 * SuccessorState.allCases.count)
    }

    @Test("Docs/RECOVERY.md prints the same table")
    func documentation() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Docs/RECOVERY.md"), encoding: .utf8)
        let printed = page.split(separator: "\n").filter { line in
            TailRule.table.contains { line.hasPrefix("| \($0.label) |") }
        }
        #expect(printed.map { String($0) } == TailRule.table.map(\.documented))
    }
}

extension TailRule {
    /// The rule as a row of the table in Docs/RECOVERY.md.
    var documented: String {
        let named =
            endings.starts(with: TailRule.damagedEndings)
            ? ["any damage"] + endings.dropFirst(TailRule.damagedEndings.count).map(\.rawValue)
            : endings.map(\.rawValue)
        let endings = named.joined(separator: ", ")
        let cells = [
            label, endings, cell(isSealed), cell(isInsideTransaction),
            cell(isPromisedBeyondCut), cell(endsWithCleanSeal),
            decision.rawValue + (isImpossible ? " (impossible)" : ""),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private func cell(_ fact: Bool?) -> String {
        fact.map { $0 ? "yes" : "no" } ?? "-"
    }
}
