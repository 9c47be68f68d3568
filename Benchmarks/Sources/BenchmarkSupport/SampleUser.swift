/// The fields of the user of the comparison tables.
public protocol UserFields {
    var id: String { get }
    var name: String { get }
    var email: String { get }
    var age: Int { get }
    var city: String { get }
    var score: Double { get }
    var createdAt: Int { get }
}

/// A user of the comparison tables that is made of its fields, whatever its indexes.
public protocol SampleUser: UserFields {
    init(
        id: String, name: String, email: String, age: Int, city: String, score: Double,
        createdAt: Int)
}

// Inlinable, because users are made where times and instructions are measured: unspecialised calls
// would be measured along with the rest.
extension SampleUser {
    /// The same user as another type has it.
    @inlinable
    public init(_ user: some UserFields) {
        self.init(
            id: user.id, name: user.name, email: user.email, age: user.age, city: user.city,
            score: user.score, createdAt: user.createdAt)
    }

    @inlinable
    public init(sample number: Int) {
        self.init(
            id: SampleData.id("u", number), name: SampleData.name(number),
            email: SampleData.email(number), age: number % 100, city: SampleData.city(number),
            score: Double(number), createdAt: 1_700_000_000 + number)
    }
}
