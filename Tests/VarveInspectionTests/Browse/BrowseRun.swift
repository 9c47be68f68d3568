import Foundation
import Testing
import VarveInspection
import VarveTerminal

@testable import VarveTool

/// A browser and a store, without a terminal and without threads: what is asked for is there at once.
struct BrowseRun {
    private(set) var browser: Browser
    let source: BrowseSource
    private(set) var effects: [Browser.Effect] = []
    /// Whether replies come; else requests wait.
    var repliesAtOnce = true
    private(set) var waiting: [BrowseRequest] = []

    static let narrow = ScreenSize(columns: 80, rows: 24)
    static let wide = ScreenSize(columns: 200, rows: 60)

    init(_ path: String, _ size: ScreenSize = narrow, name: String = "Sample.varve") throws {
        source = try BrowseSource(path)
        browser = Browser(storeName: name, extent: source.extent, size: size, now: ToolRun.now)
        poll()
    }

    mutating func press(_ keys: Key...) { for key in keys { handle(.key(key)) } }

    /// Types letters, and enter behind them.
    mutating func type(_ text: String) {
        for character in text { handle(.key(.character(character))) }
        handle(.key(.enter))
    }

    mutating func handle(_ event: Browser.Event) {
        var events = [event]
        while let next = events.popLast() {
            for effect in browser.handle(next) {
                effects.append(effect)
                guard case .request(let request) = effect else { continue }
                if repliesAtOnce { events += replies(to: request) } else { waiting.append(request) }
            }
        }
    }

    /// Lets the replies come that were held back.
    mutating func replyNow() {
        repliesAtOnce = true
        let held = waiting
        waiting = []
        for request in held { for event in replies(to: request) { handle(event) } }
    }

    private func replies(to request: BrowseRequest) -> [Browser.Event] {
        var news: [Browser.Event] = []
        source.report = { news.append(.news($0)) }
        return [.reply(source.perform(request), to: request)] + news.reversed()
    }

    /// What the store has gained meanwhile.
    mutating func poll() {
        handle(.tick(ToolRun.now))
        for news in source.poll() { handle(.news(news)) }
    }

    var screen: String { browser.frame.text }
    var rows: [String] {
        screen.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The row that is selected.
    var selected: String {
        let line = browser.frame.lines.first { $0.emphasis == .selected }
        return line.map { $0.text.plain.trimmingCharacters(in: .whitespaces) } ?? ""
    }

    var titles: [String] { browser.panes.map(\.title) }
}

/// Screens that were looked at, as files. `VARVE_RECORD=1` writes them anew, to be looked at again.
enum GoldenScreen {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/screens")

    static func check(
        _ name: String, _ screen: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let file = folder.appendingPathComponent(name + ".txt")
        if ProcessInfo.processInfo.environment["VARVE_RECORD"] == "1" {
            try (screen + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        #expect(screen + "\n" == expected, "\(name):\n\(screen)", sourceLocation: sourceLocation)
    }
}
