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

    @Test("Sealing what is whole changes nothing, so that mutations start behind the checksums")
    func resealing() throws {
        for target in [FuzzTarget.segment, .manifest, .checkpoint] {
            #expect(!target.seeds.isEmpty)
            #expect(target.isSealedAlike, "\(target)")
        }
    }
}
