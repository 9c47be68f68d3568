/// How many there are of a type.
package struct TypeCounts: Hashable, Sendable {
    package let live: Int
    package let tombstones: Int
    /// Ids that were ever mentioned, by an entity or a link.
    package let slots: Int

    package init(live: Int, tombstones: Int, slots: Int) {
        self.live = live
        self.tombstones = tombstones
        self.slots = slots
    }
}
