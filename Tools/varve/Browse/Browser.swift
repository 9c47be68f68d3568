import VarveInspection
import VarveTerminal

/// The whole of what `varve browse` shows, as a value: events come in, and what has to be done comes out.
/// Neither the terminal nor the store is known here.
struct Browser: Sendable {
    enum Event: Sendable {
        case key(Key)
        case resized(ScreenSize)
        case reply(BrowseReply, to: BrowseRequest)
        case news(BrowseNews)
        /// Time has passed.
        case tick(Moment)
    }

    enum Effect: Hashable, Sendable {
        case request(BrowseRequest)
        /// Gives up the search that is going on.
        case cancelSearch
        case redraw, suspend, quit
    }

    /// A line that is being typed.
    struct Prompt: Sendable {
        enum Purpose: Hashable, Sendable { case search, goTo }

        let purpose: Purpose
        var text = ""
    }

    /// How long a request may take before it is spoken of.
    private static let noticeMicroseconds: Int64 = 200_000

    let storeName: String
    var size: ScreenSize
    var now: Moment
    let zone: ReaderZone
    var extent: LogExtent
    /// The log, and what was opened from it.
    private(set) var panes: [any BrowsePane]
    /// Columns that are scrolled out on the left.
    var shift = 0
    private(set) var prompt: Prompt?
    var search: SearchText?
    /// Shown until the next key.
    private(set) var message: StyledText?
    private(set) var damage: SalvageReport?
    private(set) var isFollowing = true
    private(set) var pending: [BrowseRequest: Moment] = [:]
    /// A search that begins anew when the rows that are in sight are there.
    private var postponedSearch: BrowseRequest?
    private var progress: String?
    /// The state that panes show which need none in particular.
    private var stateMoment: TransactionID?
    private var effects: [Effect] = []

    init(
        storeName: String, extent: LogExtent, size: ScreenSize, now: Moment,
        zone: ReaderZone = .utc
    ) {
        self.zone = zone
        self.storeName = storeName
        self.extent = extent
        self.size = size
        self.now = now
        panes = [LogPane(extent)]
    }

    /// Takes an event; returns what is to be done now.
    mutating func handle(_ event: Event) -> [Effect] {
        effects = []
        switch event {
        case .key(let key): take(key)
        case .resized(let size): self.size = size
        case .reply(let reply, let request): take(reply, to: request)
        case .news(let news): take(news)
        case .tick(let moment): now = moment
        }
        settle()
        return effects
    }

    // MARK: Panes

    var pane: any BrowsePane { panes[panes.count - 1] }

    var layout: BrowseLayout {
        BrowseLayout(width: size.columns, now: now, shift: shift, zone: zone)
    }

    /// Rows between the bars.
    var height: Int {
        let chrome = 2 + (damage == nil ? 0 : 1) + (pane.titles(layout) == nil ? 0 : 1)
        return max(1, size.rows - chrome)
    }

    /// What is going on and takes long enough to be spoken of.
    var activity: String? {
        guard let (request, since) = pending.min(by: { $0.value < $1.value }),
            now.microseconds - since.microseconds >= Self.noticeMicroseconds
        else { return nil }
        let seconds = (now.microseconds - since.microseconds) / 1_000_000
        return request.activity + (progress.map { ": " + $0 } ?? "") + "…"
            + (seconds > 0 ? " \(seconds) s" : "") + (request.isSearch ? ", Esc gives up" : "")
    }

    mutating func update(_ change: (inout any BrowsePane) -> Void) {
        change(&panes[panes.count - 1])
    }

    mutating func push(_ pane: any BrowsePane) {
        giveUpSearch()
        panes.append(pane)
        shift = 0
    }

    mutating func replace(with pane: any BrowsePane) {
        giveUpSearch()
        panes[panes.count - 1] = pane
    }

    mutating func say(_ text: String, _ role: StyledText.Role = .plain) {
        message = StyledText(text, role)
    }

    mutating func perform(_ effect: Effect) { effects.append(effect) }

    /// Asks for what is in sight and missing, and keeps the selection in sight.
    private mutating func settle() {
        let layout = layout
        update { $0.fit(layout) }
        let height = height
        let count = pane.rowCount
        if pane.isText {
            update { $0.list.scroll(to: $0.list.top, count: count, height: height) }
        } else if count > 0 {
            update { $0.list.select($0.list.selection, count: count, height: height) }
        }
        let rows = pane.list.visible(count: count, height: height)
        for request in pane.requests(for: rows) { ask(request) }
        resumeSearch()
    }

    mutating func ask(_ request: BrowseRequest) {
        guard pending[request] == nil else { return }
        // What is to be seen now is not kept waiting by a search.
        let former = giveUpSearch()
        postponedSearch = request.isSearch ? nil : former
        pending[request] = now
        perform(.request(request))
    }

    /// Ends the search that is going on or postponed, and returns it. Nil where there is none.
    @discardableResult
    private mutating func giveUpSearch() -> BrowseRequest? {
        defer { postponedSearch = nil }
        guard let search = pending.keys.first(where: \.isSearch) else { return postponedSearch }
        pending[search] = nil
        perform(.cancelSearch)
        return search
    }

    private mutating func resumeSearch() {
        guard let search = postponedSearch, pending.isEmpty else { return }
        ask(search)
    }

    // MARK: Keys

    private mutating func take(_ key: Key) {
        message = nil
        if prompt != nil { return type(key) }
        if key == .escape, giveUpSearch() != nil { return say("the search was given up") }
        if let action = BrowseAction.action(for: key) { return act(action) }
        say("\(key.name) does nothing; ? shows the keys", .faint)
    }

    private mutating func type(_ key: Key) {
        guard var typed = prompt else { return }
        switch key {
        case .character(let character): typed.text.append(character)
        case .backspace where typed.text.isEmpty, .escape, .control("c"): return prompt = nil
        case .backspace: typed.text.unicodeScalars.removeLast()
        case .control("u"): typed.text = ""
        case .enter:
            prompt = nil
            return finish(typed)
        default: break
        }
        prompt = typed
    }

    mutating func beginPrompt(_ purpose: Prompt.Purpose) { prompt = Prompt(purpose: purpose) }

    private mutating func finish(_ prompt: Prompt) {
        let text = prompt.text
        switch prompt.purpose {
        case .search: beginSearch(text)
        case .goTo:
            guard let number = UInt64(text.trimmingPrefix(while: \.isWhitespace)),
                extent.contains(TransactionID(number))
            else {
                let range =
                    extent.count == 0 ? "" : ": the log holds \(extent.first) to \(extent.last)"
                return say("'\(text)' is no transaction\(range)", .removed)
            }
            go(to: TransactionID(number))
        }
    }

    mutating func select(_ row: Int) {
        let (count, height) = (pane.rowCount, height)
        update { pane in
            if pane.isText {
                pane.list.scroll(to: row, count: count, height: height)
            } else {
                pane.list.select(row, count: count, height: height)
            }
        }
    }

    // MARK: The store

    private mutating func take(_ reply: BrowseReply, to request: BrowseRequest) {
        progress = nil
        // Given up meanwhile.
        guard pending.removeValue(forKey: request) != nil else { return }
        switch (request, reply) {
        case (.findTransaction(let text, _, let direction), .found(let found)),
            (.findEntity(let text, _, _, let direction), .found(let found)):
            guard let found else { return sayNotFound(text, direction) }
            guard pane.search(text, from: 0, direction) != nil else { return }
            let row = pane.row(ofFound: found)
            // A list whose length is not known yet begins with the page of the selected row.
            if pane.rowCount == 0 { update { $0.list.selection = row } } else { select(row) }
        case (_, .failed(let reason)) where request.isSearch: say(reason, .removed)
        default:
            for index in panes.indices { panes[index].take(reply, to: request) }
        }
    }

    private mutating func take(_ news: BrowseNews) {
        switch news {
        case .extent(let new): take(new, rewoundTo: nil)
        case .rewound(let id, let new):
            take(new, rewoundTo: id)
            say("the log was rewound to \(id): later transactions are gone", .removed)
        case .damaged(let report, let new):
            damage = report
            isFollowing = false
            stateMoment = nil
            take(new, rewoundTo: TransactionID(0))
            markLost(report)
        case .progress(let text): progress = text
        case .notFollowing(let reason):
            isFollowing = false
            say("new transactions are not shown: " + reason, .removed)
        }
    }

    private mutating func take(_ new: LogExtent, rewoundTo id: TransactionID?) {
        extent = new
        for index in panes.indices { panes[index].take(new, rewoundTo: id) }
        if let id, let moment = stateMoment, moment > id { stateMoment = nil }
    }

    private mutating func markLost(_ report: SalvageReport) {
        guard var log = panes[0] as? LogPane else { return }
        log.lost = report.lost.map {
            TransactionID($0.first.rawValue)...TransactionID($0.last.rawValue)
        }
        panes[0] = log
    }

    /// A state that knows of a transaction: the one that is known if it does, else the newest.
    mutating func moment(knowing transaction: TransactionID = TransactionID(0)) -> TransactionID {
        if let moment = pane.moment, moment >= transaction { return moment }
        if let stateMoment, stateMoment >= transaction { return stateMoment }
        stateMoment = extent.last
        return extent.last
    }

    /// Forgets the state: what needs one reads the newest.
    mutating func forgetState() { stateMoment = nil }

    /// Goes back to the pane before. False on the first one.
    mutating func pop() -> Bool {
        guard panes.count > 1 else { return false }
        giveUpSearch()
        panes.removeLast()
        shift = 0
        return true
    }

    /// Selects a transaction in the log, and opens it where something else is open.
    mutating func go(to id: TransactionID) {
        if panes.count > 1 { push(TransactionPane(id)) } else { selectInLog(id) }
    }

    mutating func selectInLog(_ id: TransactionID) {
        guard let log = panes[0] as? LogPane, extent.contains(id) else { return }
        let row = log.row(of: id)
        // The height may be another one by a row where the log has no titles.
        panes[0].list.select(row, count: log.rowCount, height: height)
    }
}
