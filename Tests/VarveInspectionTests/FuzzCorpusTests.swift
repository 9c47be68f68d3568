import Foundation
import Testing
import VarveFuzzing
import VarveTestSupport

@Suite("Fuzz targets")
struct FuzzCorpusTests {
    @Test(
        "Rows 29, 48 to 52 and 56: every input that mutations start from ends in a value or an error",
        arguments: FuzzTarget.allCases)
    func replay(_ target: FuzzTarget) {
        for seed in target.seeds { target.run(seed) }
    }

    @Test(
        "Rows 29, 48 to 52 and 56: every kept input of the fuzzers ends in a value or an error",
        arguments: FuzzTarget.allCases)
    func corpus(_ target: FuzzTarget) throws {
        // …/Tests/VarveInspectionTests/FuzzCorpusTests.swift
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("Fuzz/Corpus/\(target.rawValue).base64")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(!lines.isEmpty)
        for line in lines {
            let input = try #require(Data(base64Encoded: String(line)), "\(line)")
            target.run(Array(input))
        }
    }

    @Test("Sealing what is whole changes nothing, so that mutations start behind the checksums")
    func resealing() throws {
        for target in [FuzzTarget.segment, .manifest, .checkpoint, .image] {
            #expect(!target.seeds.isEmpty)
            #expect(target.isSealedAlike, "\(target)")
        }
    }
}
