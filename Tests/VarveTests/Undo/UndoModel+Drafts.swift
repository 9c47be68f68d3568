import Testing
import Varve
import VarveTestSupport

extension UndoModel {
    /// A draft, perhaps with a child, and perhaps with a write of another part beside it, is one step of its scope.
    mutating func commitDraft(_ scope: Int, beside other: Int? = nil) throws {
        last = "draft"
        let draft = store.draft("draft \(store.lastTransaction)", options: options(scope))
        let label = "draft \(store.lastTransaction)"
        let before = part(scope, of: store.context)
        var model = self
        try draft.edit { try model.change(scope, &$0) }
        if Bool.random(using: &model.random) {
            let child = draft.draft("child")
            try child.edit { try model.change(scope, &$0) }
            try child.commit()
        }
        random = model.random
        if let other, Bool.random(using: &random) {
            try writeUndoableNowhere(other)
            noteSnapshots()
        }
        last = "draft of \(scopes[scope].name ?? "all")"
        let number = store.lastTransaction
        let expected = part(scope, of: draft.context)
        try draft.commit()
        expect(expected, part(scope, of: store.context), "a committed draft")
        if store.lastTransaction > number { push(scope, label: label, before: before) }
    }
}
