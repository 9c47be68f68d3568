import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

/// Random histories against a model that keeps whole snapshots.
@Suite("Undo equals snapshots")
struct UndoLawTests {
    @Test(
        "Whatever one scope does, over reopenings, power cuts and compactions",
        arguments: TestSize.choose(1...3, nightly: 1...10 as ClosedRange<UInt64>))
    func oneScope(seed: UInt64) throws {
        // Small enough that steps fall below the floor.
        let retention: Retention = seed % 2 == 0 ? .everything : .transactions(12)
        var model = try UndoModel(seed: seed, scopes: [nil], retention: retention)
        for _ in 0..<90 {
            switch Int.random(in: 0..<33, using: &model.random) {
            case 0..<7: try model.write(0)
            case 7..<9: try model.writeGroup(0)
            case 9..<11: try model.writeCoalescing(0)
            case 11..<15: try model.undo(0)
            case 15..<18: try model.redo(0)
            case 18: try model.revert(0)
            case 19, 20: try model.rewind(0)
            case 21, 22: try model.restore(0)
            case 23: try model.noteSavepoint()
            case 24: try model.reopen()
            case 25: try model.cutPower()
            case 26, 27: try model.compact()
            case 28: try model.writeNothing(0)
            case 29..<32: try model.commitDraft(0)
            default: try model.fail(0)
            }
            try model.checkAll()
        }
        for number in model.snapshots.indices { try model.check(number) }
        try model.undoEverything(0)
    }

    @Test(
        "Whatever two scopes, and writes that are no step, do beside each other",
        arguments: TestSize.choose(101...103, nightly: 101...108 as ClosedRange<UInt64>))
    func twoScopes(seed: UInt64) throws {
        let retention: Retention = seed % 2 == 0 ? .everything : .transactions(25)
        var model = try UndoModel(
            seed: seed, scopes: ["left", "right", nil], retention: retention)
        for _ in 0..<110 {
            let scope = Int.random(in: 0..<2, using: &model.random)
            switch Int.random(in: 0..<30, using: &model.random) {
            case 0..<6: try model.write(scope)
            case 6..<8: try model.writeGroup(scope)
            case 8..<10: try model.writeCoalescing(scope)
            case 10..<14: try model.undo(scope)
            case 14..<17: try model.redo(scope)
            case 17, 18: try model.writeUndoableNowhere(2)
            case 19, 20: try model.restore(scope)
            case 21: try model.noteSavepoint()
            case 22: try model.reopen()
            case 23: try model.cutPower()
            case 24, 25: try model.compact()
            case 26..<29: try model.commitDraft(scope, beside: 2)
            default: try model.fail(scope)
            }
            try model.checkAll()
        }
        try model.undoEverything(0)
        try model.undoEverything(1)
    }
}

extension UndoModel {
    // MARK: - Writes

    func options(_ scope: Int) -> WriteOptions { WriteOptions(scope: scopes[scope].name) }

    mutating func change(_ scope: Int, _ context: inout Context) throws {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            try ReplayLawTests().change(&context, &random, part: scopes[scope].part)
        }
    }

    mutating func write(_ scope: Int) throws {
        last = "write"
        let before = part(scope, of: store.context)
        let number = store.lastTransaction
        var model = self
        try store.write("write \(number)", options: options(scope)) {
            try model.change(scope, &$0)
        }
        random = model.random
        guard store.lastTransaction > number else { return }
        push(scope, label: "write \(number)", before: before)
    }

    mutating func writeGroup(_ scope: Int) throws {
        last = "group"
        let before = part(scope, of: store.context)
        let name = "group \(store.lastTransaction)"
        let store = store
        var model = self
        try store.group(name) {
            for _ in 0..<Int.random(in: 1...3, using: &model.random) {
                let number = store.lastTransaction
                try store.write("inside", options: options(scope)) {
                    try model.change(scope, &$0)
                }
                guard store.lastTransaction > number else { continue }
                model.push(scope, label: name, key: name, joins: true, before: before)
                model.noteSnapshots()
            }
        }
        self = model
    }

    mutating func writeCoalescing(_ scope: Int) throws {
        let key = ["title", "text"].randomElement(using: &random) ?? ""
        last = "coalescing \(key)"
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let before = part(scope, of: store.context)
            let number = store.lastTransaction
            var options = options(scope)
            options.coalescing = Coalescing(key, within: .seconds(3_600))
            var model = self
            try store.write("typed \(number)", options: options) { try model.change(scope, &$0) }
            random = model.random
            guard store.lastTransaction > number else { continue }
            push(scope, label: "typed \(number)", key: "key \(key)", joins: true, before: before)
            noteSnapshots()
        }
    }

    mutating func writeUndoableNowhere(_ scope: Int) throws {
        last = "no step"
        var options = options(scope)
        options.undoable = false
        var model = self
        try store.write("no step", options: options) { try model.change(scope, &$0) }
        random = model.random
    }

    mutating func writeNothing(_ scope: Int) throws {
        last = "nothing"
        let number = store.lastTransaction
        try store.write("nothing", options: options(scope)) { _ in }
        #expect(store.lastTransaction == number, comment)
    }

    mutating func fail(_ scope: Int) throws {
        last = "fail"
        let before = describe(store.context)
        var model = self
        #expect(throws: ReplayLawTests.Stop.self, comment) {
            try store.write("fail", options: options(scope)) { context in
                try model.change(scope, &context)
                throw ReplayLawTests.Stop()
            }
        }
        random = model.random
        expect(before, describe(store.context), "a write that failed")
    }

    // MARK: - Steps

    mutating func undo(_ index: Int) throws {
        last = "undo of \(scopes[index].past.last?.transactions ?? [])"
        let scope = scopes[index]
        guard let step = scope.past.last, step.oldest >= store.floor else {
            #expect(throws: (any Error).self, comment) { try store.undo(scope: scope.name) }
            return
        }
        let before = part(index, of: store.context)
        #expect(try store.undo(scope: scope.name).transactions == step.transactions, comment)
        expect(step.content, part(index, of: store.context), "undo")
        scopes[index].past.removeLast()
        scopes[index].future.append(
            Step(transactions: [store.lastTransaction], label: step.label, content: before))
        scopes[index].isOpen = false
    }

    mutating func redo(_ index: Int) throws {
        last = "redo"
        let scope = scopes[index]
        guard let step = scope.redoable(from: store.floor).last else {
            #expect(throws: (any Error).self, comment) { try store.redo(scope: scope.name) }
            return
        }
        let before = part(index, of: store.context)
        #expect(try store.redo(scope: scope.name).transactions == step.transactions, comment)
        expect(step.content, part(index, of: store.context), "redo")
        scopes[index].future.removeLast()
        scopes[index].past.append(
            Step(transactions: [store.lastTransaction], label: step.label, content: before))
        scopes[index].isOpen = false
    }

    mutating func undoEverything(_ index: Int) throws {
        while let step = scopes[index].past.last, step.oldest >= store.floor {
            try undo(index)
            noteSnapshots()
            check()
        }
        while !scopes[index].redoable(from: store.floor).isEmpty {
            try redo(index)
            noteSnapshots()
            check()
        }
    }

    /// Any transaction: what it comes to is the store's to say, where nothing stands against it.
    mutating func revert(_ index: Int) throws {
        last = "revert"
        let oldest = store.floor.rawValue
        let newest = store.lastTransaction.rawValue
        guard newest >= oldest, newest > 0 else { return }
        let id = TransactionID(UInt64.random(in: oldest...newest, using: &random))
        let before = part(index, of: store.context)
        let label = try store.transaction(id).label.map { "“\($0)”" } ?? "transaction \(id)"
        last = "revert \(id)"
        do {
            let options = UndoOptions(
                scope: scopes[index].name, force: Bool.random(using: &random))
            guard try store.revert(id, options) != nil else {
                return expect(before, part(index, of: store.context), "an empty revert")
            }
            push(index, label: "Revert \(label)", before: before)
        } catch StoreError.conflicts {
            expect(before, part(index, of: store.context), "a revert that was refused")
        }
    }

    mutating func rewind(_ index: Int) throws {
        let oldest = store.floor.rawValue == 1 ? 0 : store.floor.rawValue
        let number = UInt64.random(in: oldest...store.lastTransaction.rawValue, using: &random)
        last = "rewind \(number)"
        let before = part(index, of: store.context)
        let then = try store.context(asOf: .transaction(TransactionID(number)))
        let expected = part(index, of: then)
        let appended = try store.rewind(
            to: .transaction(TransactionID(number)), UndoOptions(scope: scopes[index].name))
        expect(expected, part(index, of: store.context), "rewind")
        if appended != nil { push(index, label: "Rewind", before: before) }
    }

    mutating func restore(_ index: Int) throws {
        last = "restore"
        let before = part(index, of: store.context)
        let part = scopes[index].part
        let options = UndoOptions(scope: scopes[index].name)
        let number = store.lastTransaction
        let name: String
        if Bool.random(using: &random) {
            let gone = Deleted<Author>.query().resolve(in: store.context).map(\.id)
                .filter { Int($0.dropFirst()).map { $0 / 100 } == part }
            guard let id = gone.randomElement(using: &random) else { return }
            last = "restore deletion of \(id)"
            name = "Author \(id)"
            do {
                try store.restoreDeletion(of: Author.self, id: id, options)
            } catch StoreError.belowFloor(let deletion, let floor) {
                #expect(deletion < floor && floor == store.floor, comment)
                return expect(before, self.part(index, of: store.context), "a refused restoration")
            }
        } else {
            let gone = Deleted<Book>.query().resolve(in: store.context).map(\.id)
                .filter { $0 / 100 == part }
            guard let id = gone.randomElement(using: &random) else { return }
            last = "restore \(id)"
            name = "Book \(id)"
            try store.restore(Book.self, id: id, options)
        }
        guard store.lastTransaction > number else { return }
        push(index, label: "Restore \(name)", before: before)
    }

    mutating func noteSavepoint() throws {
        last = "savepoint"
        let name = ["first", "second"].randomElement(using: &random) ?? ""
        if savepoints[name] != nil, Bool.random(using: &random) {
            savepoints[name] = nil
            try store.removeSavepoint(name)
        } else {
            savepoints[name] = try store.setSavepoint(name).transaction
        }
    }

    // MARK: - The disk

    mutating func reopen() throws {
        last = "reopen"
        let before = describe(store.context)
        try store.close()
        store = try Self.open(disk, environment, retention)
        expect(before, describe(store.context), "reopening")
    }

    /// The power goes in the middle of a write or of a compaction, or right behind it.
    mutating func cutPower() throws {
        last = "power cut"
        let start = disk.operations.count
        let before = self
        let number = store.lastTransaction
        if Int.random(in: 0..<3, using: &random) == 0 {
            try store.compact()
        } else {
            try write(0)
            noteSnapshots()
        }
        let position = Int.random(in: start...disk.operations.count, using: &random)
        let point = disk.crashPoint(at: position)
        let fates = disk.survivals(at: point, using: &random)
        let fate = fates.randomElement(using: &random) ?? []
        let image = disk.image(at: point, fate)
        let after = self
        let isAcknowledged = position == disk.operations.count
        let disk = SimulatedDisk(image)
        let store = try Self.open(disk, environment, retention)
        #expect(
            store.lastTransaction == number
                || store.lastTransaction == TransactionID(UInt64(after.snapshots.count - 1)),
            comment)
        if isAcknowledged {
            #expect(store.lastTransaction.rawValue + 1 == UInt64(after.snapshots.count), comment)
        }
        if store.lastTransaction.rawValue + 1 < UInt64(after.snapshots.count) {
            self = before
            random = after.random
        }
        self.disk = disk
        self.store = store
        trim()
        last = "power cut at \(position) of \(start)...\(after.disk.operations.count)"
        expect(snapshots[Int(store.lastTransaction.rawValue)], describe(store.context), "power cut")
    }

    mutating func compact() throws {
        last = "compact"
        let before = describe(store.context)
        try store.compact(for: .random(using: &random))
        expect(before, describe(store.context), "a compaction")
        trim()
    }

    /// What can be undone no more is gone, and joins nothing.
    mutating func trim() {
        let floor = store.floor
        for index in scopes.indices {
            let kept = scopes[index].past.reversed().prefix { $0.oldest >= floor }
            scopes[index].past = kept.reversed()
            scopes[index].future = scopes[index].redoable(from: floor)
        }
    }

    mutating func checkAll() throws {
        noteSnapshots()
        check()
        try check(Int.random(in: snapshots.indices, using: &random))
    }
}
