import Foundation

/// Reads the store on a thread of its own, so that keys and signals are taken while a state is read.
///
/// Unchecked: everything that both threads touch is guarded by `condition`; the source is made by one thread and
/// used by the other alone from `start` on.
final class BrowseWorker: @unchecked Sendable {
    /// Between two looks at whether the store has grown.
    private static let pollSeconds = 0.4

    private let condition = NSCondition()
    private let source: BrowseSource
    private var requests: [BrowseRequest] = []
    private var events: [Browser.Event] = []
    /// Grows with every search and when one is given up: one that began with another number is not wanted.
    private var searchNumber = 0
    /// Called behind each event, on the worker's thread.
    private let wake: @Sendable () -> Void

    init(_ source: BrowseSource, wake: @escaping @Sendable () -> Void) {
        self.source = source
        self.wake = wake
    }

    /// Begins. The thread ends with the process: what it reads cannot be interrupted.
    func start() {
        source.report = { [unowned self] in deliver([.news($0)]) }
        let thread = Thread { self.run() }
        // A replay recurses nowhere, but values nest as deep as their writer liked.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// The requests are next, in their order: they are of what is in sight now.
    func ask(_ new: [BrowseRequest]) {
        guard !new.isEmpty else { return }
        condition.withLock {
            if new.contains(where: \.isSearch) { searchNumber += 1 }
            requests.insert(contentsOf: new, at: 0)
            condition.signal()
        }
    }

    func cancelSearch() {
        condition.withLock {
            searchNumber += 1
            requests.removeAll(where: \.isSearch)
        }
    }

    /// What has come since the last call.
    func takeEvents() -> [Browser.Event] {
        condition.withLock {
            defer { events = [] }
            return events
        }
    }

    private func deliver(_ new: [Browser.Event]) {
        guard !new.isEmpty else { return }
        condition.withLock { events += new }
        wake()
    }

    private func run() {
        while true {
            if let (request, number) = next() {
                source.isWanted = { [unowned self] in
                    condition.withLock { number == self.searchNumber }
                }
                deliver([.reply(source.perform(request), to: request)])
            } else {
                deliver(source.poll().map { .news($0) })
            }
        }
    }

    /// The next request; nil where there is none for a while.
    private func next() -> (BrowseRequest, searchNumber: Int)? {
        condition.withLock {
            if requests.isEmpty {
                _ = condition.wait(until: Date(timeIntervalSinceNow: Self.pollSeconds))
            }
            return requests.isEmpty ? nil : (requests.removeFirst(), searchNumber)
        }
    }
}
