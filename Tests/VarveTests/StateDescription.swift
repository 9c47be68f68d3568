import Foundation
import Varve

/// The visible content of a context as text: rows with their links and stamps, in order, and
/// tombstones. Two contexts are the same where their descriptions are.
func describe(_ context: Context) -> String {
    var lines: [String] = []
    func add<E: EntityModelProtocol>(_ type: E.Type, _ shaped: [E], _ links: (E) -> String) {
        for entity in shaped {
            let time = entity.updatedAt(in: context)?.timeIntervalSince1970 ?? -1
            lines.append("\(E.self) \(links(entity)) \(time)")
        }
    }
    func author(_ author: Author) -> String {
        "\(author.id) \(author.name.unicodeScalars.map(\.value)) \(author.born ?? -1) \(author.tags)"
            + " books \(author.$books.heldIDs) profile \(author.$profile.heldIDs)"
    }
    func book(_ book: Book) -> String {
        "\(book.id) \(book.title.unicodeScalars.map(\.value)) \(book.text.utf8.count)"
            + " author \(book.$author.heldIDs) shelves \(book.$shelves.heldIDs) sequel \(book.$sequel.heldIDs)"
            + " related \(book.$related.heldIDs)"
    }
    func shelf(_ shelf: Shelf) -> String {
        "\(shelf.id) \(shelf.label ?? "nil") books \(shelf.$books.heldIDs)"
    }
    func profile(_ profile: Profile) -> String {
        "\(profile.id) \(profile.text) author \(profile.$author.heldIDs)"
    }

    add(Author.self, Author.query().id(\.$books).id(\.$profile).resolve(in: context), author)
    add(
        Book.self,
        Book.query().id(\.$author).id(\.$shelves).id(\.$sequel).id(\.$related)
            .resolve(in: context), book)
    add(Shelf.self, Shelf.query().id(\.$books).resolve(in: context), shelf)
    add(Profile.self, Profile.query().id(\.$author).resolve(in: context), profile)
    add(Deleted<Author>.self, Deleted<Author>.query().resolve(in: context)) { author($0.entity) }
    add(Deleted<Book>.self, Deleted<Book>.query().resolve(in: context)) { book($0.entity) }
    add(Deleted<Shelf>.self, Deleted<Shelf>.query().resolve(in: context)) { shelf($0.entity) }
    add(Deleted<Profile>.self, Deleted<Profile>.query().resolve(in: context)) {
        profile($0.entity)
    }
    return lines.joined(separator: "\n")
}

/// The first line in which two descriptions differ, or nil.
func difference(_ first: String, _ second: String) -> String? {
    let lines = (
        first.split(separator: "\n", omittingEmptySubsequences: false),
        second.split(separator: "\n", omittingEmptySubsequences: false)
    )
    for (left, right) in zip(lines.0, lines.1) where left != right {
        return "\(left) | \(right)"
    }
    guard lines.0.count != lines.1.count else { return nil }
    let common = min(lines.0.count, lines.1.count)
    return "only in one: \(lines.0.dropFirst(common)) | \(lines.1.dropFirst(common))"
}

/// What ``describe`` says without the times.
func content(_ context: Context) -> String {
    describe(context).split(separator: "\n").map { line in
        line.split(separator: " ").dropLast().joined(separator: " ")
    }.joined(separator: "\n")
}
