import BenchmarkSupport
import Foundation
import Varve

/// What is counted: something that is done a number of times. Doing it twice as often costs twice
/// as many instructions, but for what every process does once.
enum CorePath: String, CaseIterable, Codable, CodingKeyRepresentable {
    case save, saveIndexed, find, findPacked, queryOne, commit, update, delete
    case undo, openCheckpoint, replay

    var title: String {
        switch self {
        case .save: "save a new entity"
        case .saveIndexed: "save a new entity with three indexes"
        case .find: "find an entity by id, among 1,000"
        case .findPacked: "find an entity by id in an opened store, among 20,000"
        case .queryOne: "query one row through a unique index, among 1,000"
        case .commit: "commit an entity, without sync"
        case .update: "commit one changed field, without sync, among 1,000"
        case .delete: "save and delete an entity, 100 a transaction, without sync"
        case .undo: "commit one changed field, without sync, and undo that, among 1,000"
        case .openCheckpoint: "open a checkpoint and read all rows, a row"
        case .replay: "replay a log, an event"
        }
    }

    /// Half of the repetitions that are counted.
    var count: Int {
        switch self {
        case .save, .saveIndexed, .find, .findPacked, .queryOne, .commit, .update, .delete: 5_000
        case .undo: 1_000
        case .openCheckpoint, .replay: 10_000
        }
    }

    /// Makes what the path opens, in a process that nobody counts.
    func prepare(_ count: Int, in directory: URL) throws {
        switch self {
        case .openCheckpoint, .replay: try makeStore(of: count, in: directory)
        // As many as make a large table, of which rows stay bytes when they are looked up.
        case .findPacked: try makeStore(of: 20_000, in: directory)
        case .save, .saveIndexed, .find, .queryOne, .commit, .update, .delete, .undo: break
        }
    }

    private func makeStore(of count: Int, in directory: URL) throws {
        let store = try open(directory)
        for start in stride(from: 0, to: count, by: 100) {
            try store.write { context in
                for number in start..<min(count, start + 100) {
                    try PlainUser(sample: number).save(to: &context)
                }
            }
        }
        if self != .replay { try store.compact(retaining: Retention.newestState) }
        try store.close()
    }

    func run(_ count: Int, in directory: URL) throws {
        switch self {
        case .save: check(try loaded(PlainUser.self, count).count(PlainUser.self), count)
        case .saveIndexed: check(try loaded(IndexedUser.self, count).count(IndexedUser.self), count)
        case .find:
            find(count, among: 1_000, in: try loaded(PlainUser.self, 1_000))
        case .findPacked:
            let store = try open(directory)
            find(count, among: 20_000, in: store.context)
            try store.close()
        case .queryOne:
            let context = try loaded(IndexedUser.self, 1_000)
            let emails = (0..<1_000).map { SampleData.email($0) }
            var found = 0
            for number in 0..<count {
                let email = emails[number % 1_000]
                found += IndexedUser.filter(\.email == email).resolve(in: context).count
            }
            check(found, count)
        case .commit:
            let store = try open(directory)
            for number in 0..<count {
                try store.write { try PlainUser(sample: number).save(to: &$0) }
            }
            try store.close()
        case .update:
            try change(count, in: directory) { _ in }
        case .delete:
            try delete(count, in: directory)
        case .undo:
            try change(count, in: directory) { try $0.undo() }
        case .openCheckpoint, .replay:
            let store = try open(directory)
            let found = PlainUser.filter(\.score >= 0).resolve(in: store.context).count
            check(found, count)
            try store.close()
        }
    }

    /// Changes one field of one of a thousand users, a transaction each.
    ///
    /// - Parameter follow: comes behind each change.
    private func change(_ count: Int, in directory: URL, _ follow: (Store) throws -> Void) throws {
        let store = try open(directory)
        let ids = (0..<1_000).map { SampleData.id("u", $0) }
        try store.write { context in
            for number in ids.indices { try PlainUser(sample: number).save(to: &context) }
        }
        for number in 0..<count {
            try store.write { context in
                guard var user: PlainUser = context.find(ids[number % 1_000]) else {
                    preconditionFailure("\(rawValue) found no user \(number % 1_000)")
                }
                // Never what it was: a change of nothing is no transaction.
                user.score = Double(number) + 0.5
                try user.save(to: &context)
            }
            try follow(store)
        }
        // The last of one transaction for each change, and another one for each undo.
        check(Int(store.lastTransaction.rawValue), 1 + count * (self == .undo ? 2 : 1))
        try store.close()
    }

    /// Saves as many users and deletes each.
    private func delete(_ count: Int, in directory: URL) throws {
        let store = try open(directory)
        let ids = (0..<count).map { SampleData.id("u", $0) }
        try store.write { context in
            for number in ids.indices { try PlainUser(sample: number).save(to: &context) }
        }
        for start in stride(from: 0, to: count, by: 100) {
            try store.write { context in
                for id in ids[start..<min(count, start + 100)] {
                    try PlainUser.delete(id: id, from: &context)
                }
            }
        }
        check(store.context.count(Deleted<PlainUser>.self), count)
        try store.close()
    }

    private func find(_ count: Int, among userCount: Int, in context: Context) {
        let ids = (0..<userCount).map { SampleData.id("u", $0) }
        var found = 0
        for number in 0..<count {
            let user: PlainUser? = context.find(ids[number % userCount])
            if user != nil { found += 1 }
        }
        check(found, count)
    }

    private func loaded<User: SampleUser & EntityModelProtocol>(_ type: User.Type, _ count: Int)
        throws -> Context
    {
        var context = Context()
        for number in 0..<count { try User(sample: number).save(to: &context) }
        return context
    }

    private func open(_ directory: URL) throws -> Store {
        try Store(
            at: directory.appending(path: "counted.varve"), durability: .none,
            compactsAutomatically: false, PlainUser.self)
    }

    private func check(_ found: Int, _ expected: Int) {
        precondition(found == expected, "\(rawValue) found \(found) instead of \(expected)")
    }
}

@EntityModel
struct PlainUser: SampleUser {
    let id: String
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int
}

@EntityModel
struct IndexedUser: SampleUser {
    let id: String
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int

    @Index<Self>(\.age) private var ageIndex
    @HashIndex<Self>(\.city) private var cityIndex
    @Unique<Self>(\.email, collisions: .throw) private var emailIndex
}
