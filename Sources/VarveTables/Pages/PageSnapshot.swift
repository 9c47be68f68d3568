/// Keeps one version of all pages alive. Reading through it needs no lock.
///
/// The reference count is the list of readers: the version ends when the last reference is gone.
// Sendable unchecked: everything is constant, and the pages of a published version never change.
package final class PageSnapshot: @unchecked Sendable {
    package let store: PageStore
    package let pages: PageTable
    private let record: VersionRecord

    init(_ store: PageStore, _ record: VersionRecord) {
        self.store = store
        self.record = record
        pages = store.pages
    }

    package var version: PageVersion { record.version }

    deinit { store.release(record) }
}
