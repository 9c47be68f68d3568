import VarveGraph

/// An entity with every kind of index.
@EntityModel
struct Citizen: Equatable, Codable {
    @Index<Self>(\.age) private var ageIndex
    @Index<Self>(\.city, \.age.desc) private var cityIndex
    @Index<Self>(\.score.desc) private var scoreIndex
    @Index<Self>(\.nickname.nilFirst, \.name) private var nicknameIndex
    @Index<Self>(\Citizen.name.count) private var lengthIndex
    @HashIndex<Self>(\.city) private var cityHash
    @HashIndex<Self>(\.city, \.nickname) private var pairHash
    @FullTextIndex<Self>(\.name, \.nickname) private var textIndex
    @Unique<Self>(\.email, collisions: .throw) private var uniqueEmail
    @Unique<Self>(\.seat) private var uniqueSeat
    @Unique<Self>(\.nickname, collisions: .throw.ignoringNil) private var uniqueNickname

    let id: Int
    var name: String = ""
    var age: Int = 0
    var city: String = ""
    var score: Double = 0
    var nickname: String?
    var email: String?
    var seat: Int?
}
