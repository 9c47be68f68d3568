import Testing
import VarveInspection
import VarveTerminal

@testable import VarveTool

@Suite("Screens of browse")
struct BrowseScreenTests {
    /// Each view, with the keys that lead to it from the one before.
    private static let views: [(name: String, keys: [Key])] = [
        ("log", []),
        ("transaction", [.end, .up, .enter]),
        ("undo", [.character("q"), .character("g"), .down, .down, .enter]),
        ("entity", [.tab, .enter]),
        ("history", [.end]),
        ("definition", [.character("d")]),
        ("types", [.escape, .escape, .escape, .character("t")]),
        ("entities", [.down, .up, .enter]),
        ("tombstones", [.character("x")]),
        ("help", [.character("?")]),
    ]

    @Test(
        "Every view is as it was looked at, on a small and on a large screen",
        arguments: [("80x24", BrowseRun.narrow), ("200x60", BrowseRun.wide)])
    func views(_ name: String, _ size: ScreenSize) throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path, size)
        for view in Self.views {
            for key in view.keys { run.press(key) }
            try GoldenScreen.check("\(view.name)-\(name)", run.screen)
            check(run.browser.frame, view.name)
        }
    }

    /// Every row fits, and there are as many as the screen has.
    private func check(_ frame: Frame, _ name: String) {
        #expect(frame.lines.count == frame.size.rows, "\(name)")
        for line in frame.lines {
            let rendered = line.text.shortened(to: frame.size.columns)
            #expect(rendered.width <= frame.size.columns, "\(name): \(rendered.plain)")
        }
    }

    @Test("At every size, down to the least, every view fills the screen and no more")
    func sizes() throws {
        let store = try SampleStore.filled()
        for columns in [40, 41, 57, 80, 99, 100, 119, 120, 133, 240] {
            for rows in [8, 9, 24, 100] {
                var run = try BrowseRun(store.path, ScreenSize(columns: columns, rows: rows))
                for view in Self.views {
                    for key in view.keys { run.press(key) }
                    check(run.browser.frame, "\(view.name) at \(columns) x \(rows)")
                }
            }
        }
    }

    @Test("A screen that becomes too small says so, and is as before when it grows again")
    func tooSmall() throws {
        let store = try SampleStore.filled()
        var run = try BrowseRun(store.path)
        run.press(.down, .down)
        let before = run.screen
        run.handle(.resized(ScreenSize(columns: 30, rows: 5)))
        #expect(run.screen == "too small: 40 x 8 is needed")
        run.press(.down, .up)
        run.handle(.resized(BrowseRun.narrow))
        #expect(run.screen == before)
    }

    @Test("An empty store has a screen for everything")
    func emptyStore() throws {
        let store = try SampleStore()
        try store.close()
        var run = try BrowseRun(store.path)
        try GoldenScreen.check("empty-80x24", run.screen)
        run.press(.enter, .end, .home, .pageDown, .character("n"), .character("J"), .character("@"))
        #expect(run.titles == ["log"])
        run.press(.character("t"))
        #expect(run.rows[2].contains("the store has no types"))
        run.press(.enter, .character("d"), .character("x"))
        #expect(run.titles == ["log", "types"])
    }

    @Test("Nothing that a store holds commands the terminal, in any view, search or message")
    func hostileStore() throws {
        let store = try HostileStore()
        for size in [BrowseRun.narrow, BrowseRun.wide] {
            var run = try BrowseRun(store.path, size, name: HostileStore.name)
            let keys: [Key] = [
                .enter, .tab, .enter, .tab, .end, .enter, .escape, .character("d"), .escape,
                .escape,
                .down, .down, .enter, .escape, .escape, .character("K"), .character("K"), .tab,
                .down,
                .enter, .right, .escape, .right, .left, .escape, .character("t"), .enter, .enter,
                .enter,
                .escape, .escape, .character("x"), .enter, .character("?"),
            ]
            for key in keys {
                run.press(key)
                checkIsHarmless(run.browser.frame)
            }
            run.press(.character("/"))
            run.type("\u{9B}\u{202E}")
            checkIsHarmless(run.browser.frame)
        }
    }

    private func checkIsHarmless(_ frame: Frame) {
        var painter = ScreenPainter(withColors: true)
        // All that the painter itself writes.
        let own = /\u{1B}\[(\?25[lh]|[0-9;]*[mHKJ])/
        let rest = painter.paint(frame).replacing(own, with: "")
        let bad = rest.unicodeScalars.filter {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.properties.isBidiControl
                || $0.properties.generalCategory == .format
        }
        #expect(bad.isEmpty, "\(bad.map(\.value)): \(rest.debugDescription)")
    }
}
