import Varve

/// The balances of all accounts are zero together, in every state.
@EntityModel
struct Account: Equatable {
    let id: Int
    var balance: Int

    @Relationship(deleteRule: .cascade, inverse: \.account) var entries: [Entry]?
}

/// A part of an account's balance; all of them together are the balance. An id that came twice would take another
/// entry's part away.
@EntityModel
struct Entry: Equatable {
    @Index<Self>(\.owner, \.amount) private var byOwner

    @AutoIncrement let id: Int
    /// The id of the account, to be found by the index.
    var owner: Int
    var amount: Int

    @Relationship(inverse: \.entries) var account: Account?
}

/// How many times a writer has moved money.
@EntityModel
struct Tally: Equatable {
    let id: Int
    var count: Int
}

/// What a writer undoes and redoes: the two rows of a writer say the same in every state.
@EntityModel
struct Draft: Equatable {
    let id: Int
    var text: String

    static func ids(of writer: Int) -> [Int] { [2 * writer, 2 * writer + 1] }
}

/// What all writers undo of one another's: all purses and coins together are worth the same in every state.
@EntityModel
struct Purse: Equatable {
    let id: Int
    var balance: Int

    static let count = 4
    static let start = 10
}

/// A part of a purse's balance, taken out until another puts it into a purse again.
@EntityModel
struct Coin: Equatable {
    let id: Int
    var worth: Int

    static let count = 3
}
