import Testing
import VarveGraph

private enum Blog {
    @EntityModel
    struct Post {
        let id: String
        var title: String
        var subtitle: String?
        let source: String?
        var first: String?, second: String?
        var spelled: Optional<Int>
        var tags: [String] = []
        var marks: [String]?
        var version = 0
        @Relationship(inverse: \.post) var comments: [Comment]?
        @Relationship(inverse: \.posts) var author: Author?

        static var stamped: MergeStrategy<Self> {
            .lastWriteWins(Self.patch, comparedBy: \.version)
        }
    }

    @EntityModel
    struct Comment {
        let id: String
        var text: String?
        var likes: Int?
        @Relationship(inverse: \.comments) var post: Post?
    }

    @EntityModel
    struct Author: Comparable {
        let id: String
        var name: String?
        var rank = 0
        @Relationship(inverse: \.author) var posts: [Post]?

        static func < (first: Author, second: Author) -> Bool { first.rank < second.rank }
        static var defaultMergeStrategy: MergeStrategy<Self> { .lastWriteWins(Self.patch) }
    }
}

private typealias Post = Blog.Post
private typealias Comment = Blog.Comment
private typealias Author = Blog.Author

private func post(_ id: String = "1", title: String = "t", version: Int = 0) -> Post {
    Post(id: id, title: title, source: nil, spelled: nil, version: version)
}

@Suite("Saving and merging")
struct SavingConformanceTests {
    @Test("SM-14: a save takes along loaded entities and links, to any depth")
    func nested() throws {
        var context = Context()
        var value = post()
        value.$comments = .relation([Comment(id: "c", text: "x", likes: 1)])
        value.$author = .relation(Author(id: "a", posts: .relation([post("2")])))
        try value.save(to: &context)
        #expect(context.ids(Post.self) == ["1", "2"])
        // The author's own list says who its posts are; the first post was linked before that.
        #expect(Author.query("a").related(\.$posts).resolve(in: context).map(\.id) == ["2", "1"])
        #expect(Comment.query("c").related(\.$post).resolve(in: context)?.id == "1")
        context.checkInvariants()
    }

    @Test("SM-15: strategies are applied from left to right, each to the result so far")
    func composition() {
        let double = MergeStrategy<Int> { old, new in old + new * 2 }
        let add = MergeStrategy<Int> { old, new in new + old * 100 }
        #expect(double.merge(1, new: 2) == 5)
        #expect(MergeStrategy(double, add).merge(1, new: 2) == 105)
        #expect(MergeStrategy<Int>(add, double).merge(1, new: 2) == 205)
    }

    @Test("SM-16: default replaces and fragment patches, unless the type says otherwise")
    func typeStrategies() throws {
        var context = Context()
        var value = post()
        value.subtitle = "s"
        try value.save(to: &context)
        try post(title: "new").save(to: &context, options: .fragment)
        #expect(Post.query("1").resolve(in: context)?.subtitle == "s")
        #expect(Post.query("1").resolve(in: context)?.title == "new")
        try post().save(to: &context)
        #expect(Post.query("1").resolve(in: context)?.subtitle == nil)
        try Author(id: "a", name: "A", rank: 2).save(to: &context)
        try Author(id: "a", name: nil, rank: 3).save(to: &context)
        #expect(Author.query("a").resolve(in: context) == Author(id: "a", name: "A", rank: 3))
        try Author(id: "a", name: "Z", rank: 1).save(to: &context, options: .replace)
        #expect(Author.query("a").resolve(in: context)?.rank == 1)
    }

    @Test("SM-17: patch keeps the stored value of every optional, however it is declared")
    func patch() throws {
        var context = Context()
        try Post(
            id: "1", title: "t", subtitle: "s", source: "web", first: "1", second: "2", spelled: 3
        ).save(to: &context)
        try post(title: "new").save(to: &context, options: .fragment)
        let merged = try #require(Post.query("1").resolve(in: context))
        #expect(merged.title == "new" && merged.subtitle == "s" && merged.source == "web")
        #expect(merged.first == "1" && merged.second == "2" && merged.spelled == 3)
        let one = MergeStrategy<Post>.patch(\.first)
        #expect(one.merge(merged, new: post()).first == "1")
        #expect(one.merge(merged, new: post()).second == nil)
        #expect(MergeStrategy<Int?>.patch().merge(1, new: nil) == 1)
        #expect(MergeStrategy<Int?>.patch().merge(1, new: 2) == 2)
    }

    @Test("SM-18: append joins arrays without dropping repetitions; an empty optional one is nil")
    func append() {
        var old = post()
        old.tags = ["a", "b"]
        var new = post()
        new.tags = ["b"]
        #expect(MergeStrategy<Post>.append(\.tags).merge(old, new: new).tags == ["a", "b", "b"])
        let marks = MergeStrategy<Post>.append(\.marks)
        #expect(marks.merge(old, new: new).marks == nil)
        old.marks = ["x"]
        #expect(marks.merge(old, new: new).marks == ["x"])
        new.marks = []
        old.marks = []
        #expect(marks.merge(old, new: new).marks == nil)
    }

    @Test(
        "SM-19: the later write wins, a tie is the old one's, and roles swap when the old one wins")
    func lastWriteWins() {
        var old = post(title: "old", version: 2)
        var new = post(title: "new", version: 3)
        old.subtitle = "kept"
        new.first = "taken"
        let later = Post.stamped.merge(old, new: new)
        #expect(later.title == "new" && later.subtitle == "kept" && later.first == "taken")
        let earlier = Post.stamped.merge(new, new: old)
        #expect(earlier.title == "new" && earlier.subtitle == "kept" && earlier.first == "taken")
        let tie = Post.stamped.merge(post(title: "old"), new: post(title: "new"))
        #expect(tie.title == "old")
    }

    @Test("an older value changes no links, and what it has loaded is saved by its own strategy")
    func outdatedRelations() throws {
        var context = Context()
        var stored = post(version: 5)
        stored.$comments = .relation([Comment(id: "a"), Comment(id: "b")])
        try stored.save(to: &context, options: Post.stamped)
        var late = post(version: 4)
        late.$comments = .relation([Comment(id: "z", text: "new")])
        try late.save(to: &context, options: Post.stamped)
        #expect(Post.query("1").related(\.$comments).resolve(in: context).map(\.id) == ["a", "b"])
        #expect(Comment.query("z").resolve(in: context)?.text == "new")
        // Equally old is not older: the same value with more relations loaded brings its links.
        var same = post(version: 5)
        same.$comments = .appending(ids: ["z"])
        try same.save(to: &context, options: Post.stamped)
        #expect(
            Post.query("1").related(\.$comments).resolve(in: context).map(\.id) == ["a", "b", "z"])
        let composed = MergeStrategy(Post.stamped, .append(\.tags))
        late.$comments = .ids([])
        try late.save(to: &context, options: composed)
        #expect(Post.query("1").related(\.$comments).resolve(in: context).count == 3)
    }

    @Test("SM-20: a fragment's children are patched where their relation says so")
    func fragments() throws {
        var context = Context()
        try Comment(id: "c", text: "x", likes: 3).save(to: &context)
        var value = post()
        value.$comments = .fragment([Comment(id: "c", likes: 4)])
        try value.save(to: &context)
        #expect(Comment.query("c").resolve(in: context)?.text == "x")
        value.$comments = .relation([Comment(id: "c", likes: 5)])
        try value.save(to: &context, options: .fragment)
        #expect(Comment.query("c").resolve(in: context)?.text == nil)
        #expect(Comment.query("c").resolve(in: context)?.likes == 5)
    }

    @Test("what a relation says decides what becomes of the links")
    func relationStates() throws {
        func links(after change: (inout Post) -> Void) throws -> [String] {
            var context = Context()
            for id in ["a", "b", "c"] { try Comment(id: id).save(to: &context) }
            var value = post()
            value.$comments = .ids(["a", "b"])
            try value.save(to: &context)
            var next = post()
            change(&next)
            try next.save(to: &context)
            context.checkInvariants()
            return Post.query("1").related(\.$comments).resolve(in: context).map(\.id)
        }
        #expect(try links { _ in } == ["a", "b"])
        #expect(try links { $0.$comments = .none } == ["a", "b"])
        #expect(try links { $0.$comments = .ids([]) } == [])
        #expect(try links { $0.$comments = .relation([]) } == [])
        #expect(try links { $0.$comments = .ids(["c", "a"]) } == ["c", "a"])
        #expect(try links { $0.$comments = .appending(ids: []) } == ["a", "b"])
        #expect(try links { $0.$comments = .appending(ids: ["c"]) } == ["a", "b", "c"])
        #expect(
            try links { $0.$comments = .appending(fragment: [Comment(id: "c")]) }
                == ["a", "b", "c"])
    }

    @Test("several entities are saved as one, all or none")
    func sequences() throws {
        var context = Context()
        try [Comment(id: "a"), Comment(id: "b")].save(to: &context)
        #expect(context.ids(Comment.self) == ["a", "b"])
        try [Comment(id: "a", likes: 1)].save(to: &context, options: .fragment)
        #expect(Comment.query("a").resolve(in: context)?.likes == 1)
    }
}
