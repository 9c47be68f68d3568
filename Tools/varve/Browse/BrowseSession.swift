import Foundation
import VarveInspection
import VarveTerminal

/// One run of `varve browse`: carries events to the browser, and its pictures to the terminal.
final class BrowseSession {
    /// How long a picture waits for what was asked for a moment ago, so that quick replies leave no trace of
    /// the time before them.
    private static let graceMilliseconds: Int32 = 40
    private static let idleMilliseconds: Int32 = 1_000
    /// While something is awaited, what is said of it changes this often.
    private static let busyMilliseconds: Int32 = 200

    private let terminal = Terminal()
    private let worker: BrowseWorker
    private var browser: Browser
    private var painter: ScreenPainter
    private var isEnding = false

    init(
        _ source: BrowseSource, storeName: String, size: ScreenSize, zone: ReaderZone,
        withColors: Bool
    ) {
        worker = BrowseWorker(source) { TerminalSignals.wake() }
        browser = Browser(
            storeName: storeName, extent: source.extent, size: size, now: Self.now, zone: zone)
        painter = ScreenPainter(withColors: withColors)
        for news in source.takeNews() { handle(.news(news)) }
    }

    private static var now: Moment {
        Moment(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded()))
    }

    /// Runs until a key or a signal ends it. False where the terminal cannot be set up.
    func run() -> Bool {
        guard terminal.enter() else { return false }
        worker.start()
        let end = loop()
        terminal.leave()
        if let end { TerminalSignals.die(of: end) }
        return true
    }

    /// Returns the signal that ended it, if one did.
    private func loop() -> Int32? {
        handle(.tick(Self.now))
        var isFresh = true
        while !isEnding {
            // Right behind a key, the reply is waited for before the picture; then the picture before the next key.
            let isAwaiting = isFresh && !browser.pending.isEmpty
            if !isAwaiting { paint() }
            let wait =
                isAwaiting
                ? Self.graceMilliseconds
                : browser.pending.isEmpty ? Self.idleMilliseconds : Self.busyMilliseconds
            let input = terminal.read(milliseconds: wait)
            isFresh = !input.keys.isEmpty
            if let end = input.signals.end { return end }
            if input.isGone { return nil }
            handle(.tick(Self.now))
            take(input.signals)
            for event in worker.takeEvents() { handle(event) }
            for key in input.keys where !isEnding { handle(.key(key)) }
        }
        return nil
    }

    private func paint() { terminal.write(painter.paint(browser.frame)) }

    private func take(_ signals: TerminalSignals.Marks) {
        if signals.isToSuspend { suspend() }
        if signals.isContinued {
            terminal.resume()
            painter.forget()
        }
        if signals.isResized || signals.isContinued { resize() }
    }

    private func resize() {
        handle(.resized(Terminal.size))
    }

    private func suspend() {
        terminal.suspend()
        painter.forget()
        resize()
    }

    private func handle(_ event: Browser.Event) {
        var requests: [BrowseRequest] = []
        for effect in browser.handle(event) {
            switch effect {
            case .request(let request): requests.append(request)
            case .cancelSearch: worker.cancelSearch()
            case .redraw: painter.forget()
            case .suspend: suspend()
            case .quit: isEnding = true
            }
        }
        worker.ask(requests)
    }
}
