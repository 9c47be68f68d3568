import Testing

@testable import Varve

@Suite("Replaced assets between compactions")
struct AssetAdmissionTests {
    @Test("A compaction that fails leaves to the next one what was replaced")
    func failedCompaction() {
        var admission = AssetAdmission()
        admission.note(replaced: 5)
        admission.beginCompaction()
        admission.note(replaced: 2)
        #expect(admission.replacedBytes == 7)
        // The one that began has failed.
        admission.beginCompaction()
        admission.note(replaced: 1)
        admission.finishCompaction()
        #expect(admission.replacedBytes == 1)
    }

    @Test("What was logged while others' transactions were counted counts once")
    func counted() {
        var admission = AssetAdmission()
        admission.note(replaced: 3)
        let known = admission.replacedBytes
        admission.note(replaced: 4)
        // The look found what was known then, and 10 of former processes.
        admission.note(counted: 13, knowing: known)
        #expect(admission.replacedBytes == 17)
    }
}
