import Foundation
import VarveGraph

/// The values of a row, apart from the type of entity that holds them.
struct Sample: Equatable {
    var id = 0
    var age = 0
    var city = ""
    var name: String?
    var score = 0.0
    var level: Level = .low
    var rank: Int?
    var isActive = false
    var day = Date(timeIntervalSinceReferenceDate: 0)
    var note = ""
}

enum Level: Int, Comparable, CaseIterable, Sendable, Codable {
    case low, middle, high

    static func < (first: Level, second: Level) -> Bool { first.rawValue < second.rawValue }
}

struct SampleError: Error {}

/// What the two entity types have in common, with the key paths of each: a path through a protocol
/// would be another one than that of an index.
protocol SampleEntity: EntityModelProtocol where ID == Int {
    init(_ sample: Sample)
    var sample: Sample { get }
    static var number: KeyPath<Self, Int> { get }
    static var age: KeyPath<Self, Int> { get }
    static var city: KeyPath<Self, String> { get }
    static var name: KeyPath<Self, String?> { get }
    static var score: KeyPath<Self, Double> { get }
    static var level: KeyPath<Self, Level> { get }
    static var rank: KeyPath<Self, Int?> { get }
    static var isActive: KeyPath<Self, Bool> { get }
    static var day: KeyPath<Self, Date> { get }
    static var length: KeyPath<Self, Int> { get }
    static var note: KeyPath<Self, String> { get }
    func linked(to ids: [Int]) -> Self
    /// A value whose save throws when everything is done.
    var failing: Self { get }
    static func adding(_ sort: SampleSort, to query: QueryList<Self>) -> QueryList<Self>
}

/// Without any index.
@EntityModel
struct PlainSample {
    let id: Int
    var age: Int
    var city: String
    var name: String?
    var score: Double
    var level: Level
    var rank: Int?
    var isActive: Bool
    var day: Date
    var note: String
    /// Makes the save throw when everything else is done.
    var fails = false

    @Relationship var others: [PlainSample]? = nil

    var length: Int { city.count }

    func didSave(to context: inout Context) throws {
        if fails { throw SampleError() }
    }
}

extension PlainSample: SampleEntity {
    init(_ sample: Sample) {
        self.init(
            id: sample.id, age: sample.age, city: sample.city, name: sample.name,
            score: sample.score, level: sample.level, rank: sample.rank,
            isActive: sample.isActive, day: sample.day, note: sample.note)
    }

    var sample: Sample {
        Sample(
            id: id, age: age, city: city, name: name, score: score, level: level, rank: rank,
            isActive: isActive, day: day, note: note)
    }

    static var number: KeyPath<Self, Int> { \.id }
    static var age: KeyPath<Self, Int> { \.age }
    static var city: KeyPath<Self, String> { \.city }
    static var name: KeyPath<Self, String?> { \.name }
    static var score: KeyPath<Self, Double> { \.score }
    static var level: KeyPath<Self, Level> { \.level }
    static var rank: KeyPath<Self, Int?> { \.rank }
    static var isActive: KeyPath<Self, Bool> { \.isActive }
    static var day: KeyPath<Self, Date> { \.day }
    static var length: KeyPath<Self, Int> { \.length }
    static var note: KeyPath<Self, String> { \.note }

    func linked(to ids: [Int]) -> Self {
        var copy = self
        copy.$others = .ids(ids)
        return copy
    }

    var failing: Self {
        var copy = self
        copy.fails = true
        return copy
    }

    static func adding(_ sort: SampleSort, to query: QueryList<Self>) -> QueryList<Self> {
        switch sort {
        case .age: query.sorted(by: \.age)
        case .ageDown: query.sorted(by: \.age.desc)
        case .cityAge: query.sorted(by: \.city, \.age)
        case .cityDownAgeDown: query.sorted(by: \.city.desc, \.age.desc)
        case .cityAgeDown: query.sorted(by: \.city, \.age.desc)
        case .score: query.sorted(by: \.score)
        case .scoreDown: query.sorted(by: \.score.desc)
        case .level: query.sorted(by: \.level)
        case .rank: query.sorted(by: \.rank.nilFirst)
        case .rankDown: query.sorted(by: \.rank.nilFirst.desc)
        case .name: query.sorted(by: \.name.nilFirst, \.day)
        case .dayLevelAgeCity: query.sorted(by: \.day, \.level, \.age, \.city)
        case .length: query.sorted(by: \.length)
        }
    }
}

/// With an index wherever one may serve.
@EntityModel
struct IndexedSample {
    typealias ID = Int

    @Index<Self>(\.age) private var byAge
    @Index<Self>(\.city, \.age.desc) private var byCityAndAge
    @Index<Self>(\.score.desc) private var byScore
    @Index<Self>(\.level) private var byLevel
    @Index<Self>(\.rank.nilFirst, \.day) private var byRank
    @Index<Self>(\.name.nilFirst) private var byName
    @Index<Self>(\.length) private var byLength
    @Index<Self>(\.day, \.level, \.age, \.city) private var byDay
    @HashIndex<Self>(\.city) private var cityHash
    @HashIndex<Self>(\.isActive, \.level) private var stateHash
    @HashIndex<Self>(\.name) private var nameHash
    @Unique<Self>(\.id) private var uniqueNumber
    @FullTextIndex<Self>(\.note) private var noteWords

    let id: Int
    var age: Int
    var city: String
    var name: String?
    var score: Double
    var level: Level
    var rank: Int?
    var isActive: Bool
    var day: Date
    var note: String
    /// Makes the save throw when everything else is done.
    var fails = false

    @Relationship var others: [IndexedSample]? = nil

    var length: Int { city.count }

    func didSave(to context: inout Context) throws {
        if fails { throw SampleError() }
    }
}

extension IndexedSample: SampleEntity {
    init(_ sample: Sample) {
        self.init(
            id: sample.id, age: sample.age, city: sample.city, name: sample.name,
            score: sample.score, level: sample.level, rank: sample.rank,
            isActive: sample.isActive, day: sample.day, note: sample.note)
    }

    var sample: Sample {
        Sample(
            id: id, age: age, city: city, name: name, score: score, level: level, rank: rank,
            isActive: isActive, day: day, note: note)
    }

    static var number: KeyPath<Self, Int> { \.id }
    static var age: KeyPath<Self, Int> { \.age }
    static var city: KeyPath<Self, String> { \.city }
    static var name: KeyPath<Self, String?> { \.name }
    static var score: KeyPath<Self, Double> { \.score }
    static var level: KeyPath<Self, Level> { \.level }
    static var rank: KeyPath<Self, Int?> { \.rank }
    static var isActive: KeyPath<Self, Bool> { \.isActive }
    static var day: KeyPath<Self, Date> { \.day }
    static var length: KeyPath<Self, Int> { \.length }
    static var note: KeyPath<Self, String> { \.note }

    func linked(to ids: [Int]) -> Self {
        var copy = self
        copy.$others = .ids(ids)
        return copy
    }

    var failing: Self {
        var copy = self
        copy.fails = true
        return copy
    }

    static func adding(_ sort: SampleSort, to query: QueryList<Self>) -> QueryList<Self> {
        switch sort {
        case .age: query.sorted(by: \.age)
        case .ageDown: query.sorted(by: \.age.desc)
        case .cityAge: query.sorted(by: \.city, \.age)
        case .cityDownAgeDown: query.sorted(by: \.city.desc, \.age.desc)
        case .cityAgeDown: query.sorted(by: \.city, \.age.desc)
        case .score: query.sorted(by: \.score)
        case .scoreDown: query.sorted(by: \.score.desc)
        case .level: query.sorted(by: \.level)
        case .rank: query.sorted(by: \.rank.nilFirst)
        case .rankDown: query.sorted(by: \.rank.nilFirst.desc)
        case .name: query.sorted(by: \.name.nilFirst, \.day)
        case .dayLevelAgeCity: query.sorted(by: \.day, \.level, \.age, \.city)
        case .length: query.sorted(by: \.length)
        }
    }
}
