import BenchmarkSupport
import Varve

/// What links cost on top of rows.
func measureLinks(_ suite: Suite) {
    suite.begin("links")
    measurePosts(suite)
    measureChats(suite)
    measureLongList(suite)
}

/// Posts of authors: ten each, linked by id from the post's side.
func allPosts(_ suite: Suite) -> [Post] {
    (0..<suite.options.rows).map { number in
        Post(
            id: SampleData.id("post", number), title: "Title \(number)", body: "body", likes: 0,
            author: .id(suite.users[number / 10].id))
    }
}

private func measurePosts(_ suite: Suite) {
    let rows = suite.options.rows
    let posts = Lazy { allPosts(suite) }
    suite.measure(
        "save new posts with their author's id", operations: rows,
        prepare: { (Dataset.context(suite.users), posts.value) },
        { state in for post in state.1 { save(post, to: &state.0) } })
    suite.measure(
        "save known posts, links unchanged", operations: rows,
        prepare: {
            var context = Dataset.context(suite.users)
            for post in posts.value { save(post, to: &context) }
            return (context, posts.value)
        },
        { state in for post in state.1 { save(post, to: &state.0) } })
    suite.measure(
        "count the posts of an author", operations: min(rows, 10_000),
        prepare: {
            var context = Dataset.context(suite.users)
            for post in posts.value { save(post, to: &context) }
            return context
        },
        { context in
            for index in suite.order.prefix(10_000) {
                let author = suite.users[index / 10].id
                precondition(User.query(author).related(\.$posts).count(in: context) == 10)
            }
        })
}

/// Chats of 1,000 messages, saved as one value.
private func measureChats(_ suite: Suite) {
    let count = max(1, min(100, suite.options.rows / 1_000))
    let chats = Lazy {
        (0..<count).map { chat in
            Chat(
                id: chat, name: "chat",
                messages: .relation(
                    (0..<1_000).map { Message(id: chat * 1_000 + $0, text: "text \($0)") }))
        }
    }
    let linked = Lazy {
        chats.value.map { Chat(id: $0.id, name: "chat", messages: .ids($0.$messages.ids ?? [])) }
    }
    let reversed = Lazy {
        linked.value.map { chat in
            Chat(id: chat.id, name: "chat", messages: .ids((chat.$messages.ids ?? []).reversed()))
        }
    }
    let saved: [(String, Bool, Lazy<[Chat]>)] = [
        ("save new chats of 1,000 messages, per message", true, chats),
        ("save the same chats again, per message", false, chats),
        ("save the same chats with ids only, per message", false, linked),
        ("reverse the messages of each chat, per message", false, reversed),
    ]
    for (name, isNew, values) in saved {
        suite.measure(
            name, operations: count * 1_000,
            prepare: { (isNew ? Context() : Dataset.context(chats.value), values.value) },
            { state in for chat in state.1 { save(chat, to: &state.0) } })
    }
}

/// A list that has grown to 100,000 messages.
private func measureLongList(_ suite: Suite) {
    let length = min(100_000, suite.options.rows)
    let whole = Lazy {
        Dataset.context([
            Chat(
                id: 1, name: "chat",
                messages: .relation((0..<length).map { Message(id: $0, text: "t") }))
        ])
    }
    suite.measure(
        "append to a list of \(length)", operations: 1_000, unit: .microseconds,
        prepare: { whole.value },
        { context in
            for number in 0..<1_000 {
                save(
                    Chat(id: 1, name: "chat", messages: .appending(ids: [length + number])),
                    to: &context)
            }
        })
    suite.measure(
        "append 1,000 at once to a list of \(length)", operations: 1_000,
        prepare: { whole.value },
        { context in
            let added = (0..<1_000).map { length + $0 }
            save(Chat(id: 1, name: "chat", messages: .appending(ids: added)), to: &context)
        })
    suite.measure(
        "append from the other side to a list of \(length)", operations: 1_000,
        unit: .microseconds, prepare: { whole.value },
        { context in
            for number in 0..<1_000 {
                save(Message(id: length + number, text: "t", chat: .id(1)), to: &context)
            }
        })
    suite.measure(
        "snapshot + append to a list of \(length)", operations: 1_000, unit: .microseconds,
        prepare: { whole.value },
        { context in
            for number in 0..<1_000 {
                let snapshot = context
                save(Message(id: length + number, text: "t", chat: .id(1)), to: &context)
                withExtendedLifetime(snapshot) {}
            }
        })
    suite.measure(
        "detach one of a list of \(length)", operations: 1_000, unit: .microseconds,
        prepare: { whole.value },
        { context in
            for number in 0..<1_000 {
                save(Message(id: number * (length / 1_000), text: "t", chat: .null), to: &context)
            }
        })
}
