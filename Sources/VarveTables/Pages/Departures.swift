import Synchronization

/// The pages of one version that later versions replaced.
///
/// What writes an image of a later version asks which pages of the last image are gone. Walking the last
/// image would read all of it.
final class Departures: Sendable {
    /// The version whose pages are followed.
    let base: PageVersion
    private let noted = Mutex<[(version: PageVersion, numbers: [PageNumber])]>([])

    init(from base: PageVersion) { self.base = base }

    /// Called by the writer, with ascending versions.
    func add(_ numbers: [PageNumber], in version: PageVersion) {
        guard !numbers.isEmpty else { return }
        noted.withLock { $0.append((version, numbers)) }
    }

    /// Those that a version does not reach any more.
    func numbers(through version: PageVersion) -> [PageNumber] {
        noted.withLock { noted in
            noted.prefix { $0.version <= version }.flatMap(\.numbers)
        }
    }
}

/// The store follows departures for as long as an image that they concern is kept.
struct WeakDepartures {
    weak var value: Departures?
}
