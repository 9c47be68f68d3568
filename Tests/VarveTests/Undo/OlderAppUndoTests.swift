import Testing
import Varve
import VarveLog
import VarveTestSupport

/// What an app undoes that does not know all that a newer one has written.
@Suite("Undo by an older app")
struct OlderAppUndoTests {
    private func levels(_ context: Context) -> [Int32] {
        FirstModel.Item.query().resolve(in: context).sorted { $0.id < $1.id }.map(\.level)
    }

    @Test("A group that replaced an entity is undone with the values that the app does not know")
    func replacedEntity() throws {
        for isForGood in [false, true] {
            let disk = SimulatedDisk()
            do {
                let newer = try FirstItemsLog.open(FirstItems.self, disk)
                try newer.write { context in
                    for id in 1...3 {
                        try FirstModel.Item(
                            id: id, name: "n", city: "c", level: Int32(id * 100), note: ""
                        ).save(to: &context)
                    }
                }
                try newer.close()
            }
            for round in 0..<2 {
                let older = try FirstItemsLog.open(ReducedItems.self, disk)
                if round == 0 {
                    try older.group("Replace") {
                        try older.write { context in
                            try ReducedModel.Item.delete(id: 2, from: &context)
                            if isForGood {
                                try Deleted<ReducedModel.Item>.delete(id: 2, from: &context)
                            }
                        }
                        try older.write {
                            try ReducedModel.Item(id: 2, name: "new", city: "c", note: "")
                                .save(to: &$0)
                        }
                    }
                } else {
                    try older.redo()
                }
                try older.undo()
                try older.close()
                // Replays all events, each of which says what was before.
                let newer = try FirstItemsLog.open(FirstItems.self, disk)
                newer.context.checkInvariants()
                #expect(levels(newer.context) == [100, 200, 300], "round \(round)")
                for transaction in 1...newer.lastTransaction.rawValue {
                    let past = try newer.context(asOf: .transaction(TransactionID(transaction)))
                    let second = levels(past).count == 3 ? levels(past)[1] : nil
                    let isReplaced = past.count(FirstModel.Item.self) == 3 && second == 0
                    #expect(second == nil || isReplaced || second == 200, "\(transaction)")
                }
                try newer.close()
            }
        }
    }

    /// What was deleted by one step, and restored and changed by the next, is undone and redone by an app that does not
    /// see the change.
    @Test("A row that comes or goes as a whole does so with the values that the app does not know")
    func wholeRow() throws {
        let disk = SimulatedDisk()
        let newer = try FirstItemsLog.open(FirstItems.self, disk)
        try newer.write { context in
            for id in 1...3 {
                try FirstModel.Item(
                    id: id, name: "n", city: "c", level: Int32(id * 100), note: ""
                ).save(to: &context)
            }
        }
        try newer.write { try FirstModel.Item.delete(id: 2, from: &$0) }
        try newer.group("Restore") {
            try newer.write { context in
                var item = try #require(
                    Deleted<FirstModel.Item>.query(2).resolve(in: context)?.entity)
                try Deleted<FirstModel.Item>.query(2).resolve(in: context)?.restore(in: &context)
                item.level = 777
                try item.save(to: &context)
            }
        }
        try newer.close()
        func deletedLevel(_ context: Context) -> Int32? {
            Deleted<FirstModel.Item>.query(2).resolve(in: context)?.entity.level
        }
        for _ in 0..<2 {
            var older = try FirstItemsLog.open(ReducedItems.self, disk)
            try older.undo()
            try older.close()
            // Replays all events, each of which says what was before.
            var again = try FirstItemsLog.open(FirstItems.self, disk)
            #expect(levels(again.context) == [100, 300] && deletedLevel(again.context) == 200)
            try again.close()
            older = try FirstItemsLog.open(ReducedItems.self, disk)
            try older.redo()
            try older.close()
            again = try FirstItemsLog.open(FirstItems.self, disk)
            again.context.checkInvariants()
            #expect(levels(again.context) == [100, 777, 300])
            #expect(levels(try again.context(asOf: .transaction(1))) == [100, 200, 300])
            try again.close()
        }
    }

    @Test(
        "An entity that comes back in the place of another has the values that the app does not know, also logged"
    )
    func exchangedEntity() throws {
        for compacts in [false, true] {
            let disk = SimulatedDisk()
            let newer = try FirstItemsLog.open(FirstItems.self, disk)
            func save(_ level: Int32) throws {
                try newer.write {
                    try FirstModel.Item(id: 2, name: "n", city: "c", level: level, note: "")
                        .save(to: &$0)
                }
            }
            try save(200)
            try newer.group("Exchange") {
                try newer.write { try FirstModel.Item.delete(id: 2, from: &$0) }
                try save(777)
            }
            try newer.close()
            let older = try FirstItemsLog.open(ReducedItems.self, disk)
            try older.undo()
            if compacts { try older.compact(retaining: .newestState) }
            try older.close()
            let again = try FirstItemsLog.open(FirstItems.self, disk)
            #expect(levels(again.context) == [200], "compacted \(compacts)")
            if !compacts {
                #expect(levels(try again.context(asOf: .transaction(3))) == [777])
                try again.redo()
                #expect(levels(again.context) == [777])
            }
        }
    }

    @Test("An entity that was forgotten leaves none of its values to another of its id")
    func forgottenEntity() throws {
        for forgets in [false, true] {
            let disk = SimulatedDisk()
            let newer = try FirstItemsLog.open(FirstItems.self, disk)
            try newer.write {
                try FirstModel.Item(id: 2, name: "n", city: "c", level: 200, note: "")
                    .save(to: &$0)
            }
            try newer.close()
            let older = try FirstItemsLog.open(ReducedItems.self, disk)
            if forgets {
                try older.forget(ReducedModel.Item.self, id: 2)
            } else {
                try older.write { context in
                    try ReducedModel.Item.delete(id: 2, from: &context)
                    try Deleted<ReducedModel.Item>.delete(id: 2, from: &context)
                }
            }
            try older.write {
                try ReducedModel.Item(id: 2, name: "n", city: "c", note: "").save(to: &$0)
            }
            if !forgets {
                for _ in 0..<2 { try older.undo() }
                for _ in 0..<2 { try older.redo() }
            }
            try older.close()
            let again = try FirstItemsLog.open(FirstItems.self, disk)
            #expect(levels(again.context) == [0], "forgotten \(forgets)")
        }
    }
}
