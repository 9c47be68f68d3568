import Testing
import VarveEvents

@testable import Varve

@Suite("What migrations did to entities, as the log says it")
struct RecordedMovesTests {
    @Test("Words are read as they are written")
    func words() {
        let text = "ids:1:3 join:2:1 split:1:4"
        let moves = RecordedMoves(text)
        #expect(moves.text == text && !moves.isEmpty && !moves.hasOthers)
        #expect(moves.types == [TypeNumber(1), TypeNumber(2), TypeNumber(3), TypeNumber(4)])
        #expect(moves.predecessor(of: TypeNumber(3)) == TypeNumber(1))
        #expect(moves.givesIDs(to: TypeNumber(1)) && !moves.givesIDs(to: TypeNumber(2)))
        #expect(moves.subtracting(RecordedMoves("join:2:1")).text == "ids:1:3 split:1:4")
        #expect(RecordedMoves("").isEmpty)
    }

    @Test("A word is there as often as there are steps about its types")
    func repeated() {
        let moves = RecordedMoves("join:2:1 split:1:4 split:1:4")
        #expect(moves.text == "join:2:1 split:1:4 split:1:4" && moves.moves.count == 2)
        let rest = moves.subtracting(RecordedMoves("split:1:4"))
        #expect(rest.text == "join:2:1 split:1:4")
        #expect(rest.subtracting(rest).isEmpty)
        #expect(rest.subtracting(moves).isEmpty)
    }

    @Test(
        "A word of another form is not nothing: what it is about is not known",
        arguments: [
            "swap:1:2", "split:1", "split:1:2:3", "split:+1:2", "split:0:2", "split:1:x",
            "split:1:4294967296", "split::2", "split",
        ])
    func others(word: String) {
        let moves = RecordedMoves(word)
        #expect(moves.moves.isEmpty && moves.hasOthers && !moves.isEmpty)
        #expect(!moves.subtracting(RecordedMoves("split:1:2")).isEmpty)
    }
}
