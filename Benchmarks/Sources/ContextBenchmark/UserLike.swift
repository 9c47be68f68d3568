import Varve

/// The users of the comparison tables, whatever their indexes.
protocol UserLike: EntityModelProtocol where ID == String {
    init(
        id: String, name: String, email: String, age: Int, city: String, score: Double,
        createdAt: Int)
}

extension UserLike {
    /// The same user with the indexes of this type.
    init(_ user: User) {
        self.init(
            id: user.id, name: user.name, email: user.email, age: user.age, city: user.city,
            score: user.score, createdAt: user.createdAt)
    }
}

extension IndexedUser: UserLike {}
extension AgeIndexedUser: UserLike {}
extension CityIndexedUser: UserLike {}
extension EmailIndexedUser: UserLike {}
