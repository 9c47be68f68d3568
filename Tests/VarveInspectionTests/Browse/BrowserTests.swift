import Testing
import VarveInspection
import VarveTerminal

@testable import VarveTool

@Suite("Browsing")
struct BrowserTests {
    // MARK: Going from view to view

    @Test(
        "Enter opens what is selected, q and escape go back to the same place, and q on the log ends"
    )
    func openingAndBack() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.press(.down, .down, .enter)
        #expect(run.titles == ["log", "transaction 7"])
        run.press(.tab, .enter)
        #expect(run.titles.last == "User \"bob\"")
        run.press(.tab, .down, .enter)
        #expect(run.titles.last == "name")
        #expect(run.rows[1] == "Bob")
        run.press(.character("q"), .escape, .character("q"))
        #expect(run.titles == ["log"])
        #expect(run.selected.hasPrefix("7 "))
        #expect(!run.effects.contains(.quit))
        run.press(.character("q"))
        #expect(run.effects.last == .quit)
    }

    @Test("Q and Control-C end from anywhere; Control-Z and Control-L suspend and redraw")
    func ends() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.press(.enter, .character("Q"))
        #expect(run.effects.last == .quit)
        run.press(.control("z"))
        #expect(run.effects.last == .suspend)
        run.press(.control("l"))
        #expect(run.effects.last == .redraw)
        run.press(.control("c"))
        #expect(run.effects.last == .quit)
    }

    @Test(
        "From an entity enter leads along a link, to a version's transaction, and to a whole value")
    func entity() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.press(.character("t"), .enter)
        #expect(run.selected.hasPrefix("ann"))
        run.press(.enter, .tab, .tab, .down, .enter)
        #expect(run.titles.suffix(2) == ["User \"ann\"", "Chat 7"])
        run.press(.end, .enter)
        #expect(run.titles.last == "transaction 2")
        run.press(.escape, .escape, .home, .tab, .down, .down, .down, .enter)
        #expect(run.titles.last == "bio")
        // The whole of a long text, wrapped.
        let text = run.rows[1..<20].joined()
        #expect(text.filter { $0 != " " }.hasPrefix("Xllworkandnoplay"))
        #expect(run.browser.pane.rowCount == (SampleStore.longText.count + 79) / 80)
    }

    @Test("An entity opened from a transaction has that version selected")
    func versionOfTransaction() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.press(.character(":"))
        run.type("2")
        run.press(.enter, .tab, .enter)
        #expect(run.titles.last == "User \"ann\"")
        #expect(run.selected.hasPrefix("2 "))
        #expect(run.selected.contains("Import"))
    }

    @Test("J and K go through the log without leaving the transaction, and the log follows")
    func neighbours() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.press(.enter, .character("J"), .character("J"))
        #expect(run.titles == ["log", "transaction 7"])
        run.press(.character("K"), .escape)
        #expect(run.selected.hasPrefix("8 "))
        run.press(.character("t"), .enter, .enter, .character("J"))
        #expect(run.titles.last == "User \"bob\"")
        run.press(.character("J"))
        #expect(run.titles.last == "User \"bob\"")
        run.press(.escape)
        #expect(run.selected.hasPrefix("bob"))
    }

    @Test("The state as of a transaction has its types and entities, and says which it is")
    func stateAsOf() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.press(.character(":"))
        run.type("2")
        run.press(.character("@"))
        #expect(run.rows[0].contains("as of 2, 7 newer"))
        #expect(run.selected.split(separator: " ").prefix(3) == ["User", "3", "0"])
        run.press(.enter)
        #expect(run.rows[2...].contains { $0.hasPrefix("cy ") })
        run.press(.down, .down, .enter)
        #expect(run.titles.last == "User \"cy\"")
        #expect(run.rows.contains { $0.contains("Cy \\\"the\\\" Third") })
        run.press(.character("R"))
        #expect(run.rows[0].contains("as of 9"))
        #expect(run.rows.contains { $0.contains("gone for good") })
    }

    @Test("x shows deleted entities and goes back, d the definition")
    func tombstones() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.press(.character("t"), .character("d"))
        #expect(run.titles.last == "User, definition")
        run.press(.escape, .enter, .character("x"))
        #expect(run.titles.last == "User, deleted")
        #expect(run.rows[2].contains("no deleted entities"))
        run.press(.character("x"))
        #expect(run.selected.hasPrefix("ann"))
    }

    // MARK: Moving

    @Test("Rows, pages, first and last move the selection and keep it in sight")
    func moving() throws {
        let store = try store(transactions: 200)
        var run = try BrowseRun(store.path)
        func id() -> Int { Int(run.selected.prefix { $0.isNumber }) ?? 0 }
        run.press(.down, .character("j"))
        #expect(id() == 198)
        run.press(.up, .character("k"), .character("k"))
        #expect(id() == 200)
        run.press(.pageDown)
        #expect(id() == 180)
        run.press(.character(" "), .character("b"), .control("d"))
        #expect(id() == 160)
        run.press(.end)
        #expect(id() == 1)
        #expect(run.rows[22].hasPrefix("   1"))
        run.press(.down)
        #expect(id() == 1)
        run.press(.character("g"))
        #expect(id() == 200)
    }

    @Test("What is right of the screen comes into sight with l, and goes with h")
    func shifting() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        let before = run.screen
        run.press(.right)
        #expect(run.rows[1] == String(before.split(separator: "\n")[1].dropFirst(20)))
        run.press(.character("h"))
        #expect(run.screen == before)
    }

    @Test("A number leads to its transaction; what is none is a message")
    func goingTo() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.press(.character(":"))
        run.type("3")
        #expect(run.selected.hasPrefix("3 "))
        for text in ["10", "0", "x", "-1", "99999999999999999999"] {
            run.press(.character(":"))
            run.type(text)
            #expect(run.rows[23] == "'\(text)' is no transaction: the log holds 1 to 9")
        }
        run.press(.enter, .character(":"))
        run.type("5")
        #expect(run.titles.last == "transaction 5")
    }

    // MARK: Searching

    @Test("A search finds labels, authors and scopes in the log, goes on, and turns round")
    func searchingTheLog() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.press(.character("/"))
        run.type("delete")
        #expect(run.selected.hasPrefix("8 "))
        run.press(.character("n"))
        #expect(run.selected.hasPrefix("6 "))
        run.press(.character("n"))
        #expect(run.rows[23] == "no 'delete' below; N searches the other way")
        run.press(.character("N"))
        #expect(run.selected.hasPrefix("8 "))
        run.press(.character("/"))
        run.type("window 1")
        #expect(run.selected.hasPrefix("3 "))
        // A capital letter: the case counts.
        run.press(.character("g"), .character("/"))
        run.type("Rename C")
        #expect(run.rows[23].hasPrefix("no 'Rename C' below"))
    }

    @Test("A search finds ids and values of entities, and lines of a transaction")
    func searchingElsewhere() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.press(.character("t"), .enter, .character("/"))
        run.type("bob")
        #expect(run.selected.hasPrefix("bob"))
        run.press(.character("g"), .character("/"))
        run.type("no work")
        #expect(run.rows[23].hasPrefix("no 'no work' below"))
        run.press(.character("/"))
        run.type("work and no")
        #expect(run.selected.hasPrefix("ann"))
        run.press(.escape, .escape, .end, .up, .enter, .character("/"))
        run.type("third")
        #expect(run.selected.contains("Third"))
    }

    @Test("A prompt is edited, given up, and repeated by a blank one")
    func prompt() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.press(.character("/"), .character("x"), .character("漢"))
        #expect(run.rows[23] == "/x漢")
        #expect(run.browser.frame.cursor == .init(column: 4, row: 23))
        run.press(.backspace, .backspace)
        #expect(run.rows[23] == "/")
        run.press(.backspace)
        #expect(run.browser.frame.cursor == nil)
        run.press(.character("/"), .character("q"), .escape)
        #expect(run.titles == ["log"])
        run.press(.character("/"))
        run.type("bio")
        run.press(.character("g"), .character("/"))
        run.type("")
        #expect(run.selected.hasPrefix("4 "))
    }

    // MARK: Waiting

    @Test("What takes long is spoken of, a search can be given up, and late replies change nothing")
    func waiting() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.repliesAtOnce = false
        run.press(.character("/"))
        run.type("import")
        #expect(!run.rows[23].contains("searching"))
        run.handle(.tick(Moment(microseconds: ToolRun.now.microseconds + 3_000_000)))
        run.handle(.news(.progress("transaction 5")))
        #expect(run.rows[23] == "searching 'import': transaction 5… 3 s, Esc gives up")
        run.press(.escape)
        #expect(run.effects.last == .cancelSearch)
        #expect(run.titles == ["log"])
        run.replyNow()
        #expect(run.selected.hasPrefix("9 "))
    }

    @Test("What is to be seen now is not kept waiting by a search")
    func searchGivesWay() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.repliesAtOnce = false
        run.press(.character("/"))
        run.type("import")
        run.press(.enter)
        #expect(run.effects.suffix(2).first == .cancelSearch)
        run.replyNow()
        #expect(run.titles == ["log", "transaction 9"])
        #expect(run.rows[1].hasPrefix("9  purge"))
    }

    @Test("A search in a list whose rows are not there yet finds its row when they come")
    func searchBeforeRows() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.press(.character("t"))
        run.repliesAtOnce = false
        run.press(.enter, .character("/"))
        run.type("bob")
        #expect(!run.rows[23].contains("no 'bob'"))
        run.replyNow()
        #expect(run.selected.hasPrefix("bob"))
    }

    @Test("A search that gave way to rows in sight begins again behind them")
    func searchGoesOn() throws {
        let store = try store(transactions: 3_000)
        var run = try BrowseRun(store.path)
        run.press(.character("/"))
        run.repliesAtOnce = false
        run.type("transaction that is not there")
        run.press(.end)
        #expect(run.effects.contains(.cancelSearch))
        run.replyNow()
        #expect(run.rows[23].hasPrefix("no 'transaction that is not there' below"))
        #expect(run.browser.pending.isEmpty)
    }

    @Test("Only what is looked at is read: a page of the log, and a part of a large transaction")
    func bounded() throws {
        let store = try store(transactions: 3_000)
        var run = try BrowseRun(store.path)
        run.press(.end)
        #expect(run.selected.hasPrefix("1 "))
        let pages = run.effects.filter { if case .request(.log) = $0 { true } else { false } }
        #expect(pages.count <= 6, "\(pages)")
    }

    @Test("A large transaction is read in parts, and enter on the last row reads the next")
    func parts() throws {
        let store = try SampleStore()
        try store.transaction("Many") { encoder in
            for definition in [SampleStore.users, SampleStore.chats] {
                try encoder.define(definition)
            }
            for number in 1...1_500 {
                encoder.insert(
                    encoder.chat(Int64(number)), UInt64(number), try SampleStore.chat("c\(number)"))
            }
        }
        try store.close()
        var run = try BrowseRun(store.path)
        run.press(.enter, .end)
        #expect(run.selected == "502 more changes: Enter reads the next 502")
        run.press(.enter, .end)
        #expect(run.rows.contains { $0.contains("c1500") })
        #expect(run.browser.pane.sections.count == 1_502)
    }

    private func store(transactions: Int) throws -> SampleStore {
        let store = try SampleStore()
        for number in 1...transactions {
            try store.transaction("number \(number)") { encoder in
                guard number == 1 else { return }
                for definition in [SampleStore.users, SampleStore.chats] {
                    try encoder.define(definition)
                }
            }
        }
        try store.close()
        return store
    }
}
