/// What a store knows of a version that a snapshot still holds.
final class VersionRecord {
    let version: PageVersion

    /// The dead list: pages that this version reaches and no later version does. They are freed, or
    /// go to the list of an older version that reaches them too, when the last snapshot of this
    /// version is gone.
    ///
    /// Only the writer uses it.
    @exclusivity(unchecked) var deadPages: [PageNumber] = []

    /// The record below this one on the stack of released records. Set by the thread that releases
    /// the record, before it pushes it; read by the writer that took the stack.
    @exclusivity(unchecked) var nextReleased: UInt = 0

    init(_ version: PageVersion) { self.version = version }
}
