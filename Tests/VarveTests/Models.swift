import Varve

@EntityModel
struct Author: Equatable {
    let id: String
    var name: String
    var born: Int?
    var tags: [String] = []

    @Relationship(deleteRule: .cascade, inverse: \.author) var books: [Book]?
    @Relationship(inverse: \.author) var profile: Profile?
}

@EntityModel
struct Book: Equatable {
    let id: Int
    var title: String
    var text: String = ""

    @Relationship(inverse: \.books) var author: Author?
    @Relationship(inverse: \.books) var shelves: [Shelf]?
    @Relationship var sequel: Book? = nil
    @Relationship var related: [Book]? = nil
}

@EntityModel
struct Shelf: Equatable {
    let id: String
    var label: String?

    @Relationship(inverse: \.shelves) var books: [Book]?
}

@EntityModel
struct Profile: Equatable {
    let id: String
    var text: String

    @Relationship(inverse: \.profile) var author: Author?
}
