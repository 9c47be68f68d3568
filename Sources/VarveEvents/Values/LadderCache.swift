import Synchronization

/// Remembers the codec of each type: finding one asks the runtime for several conformances, about
/// a microsecond, and a row may have several such fields.
///
/// A fixed number of places, filled once and never emptied; when the few places for a type are
/// taken, its codec is found anew each time. Reading takes no lock, so that rows decode on several
/// cores.
enum LadderCache {
    private static let size = 1_024
    private static let steps = 8

    /// A codec and the type that it is for. Immutable, and immortal once it is in a place.
    private final class Entry: Sendable {
        let type: ObjectIdentifier
        let isID: Bool
        // Codecs hold nothing but other codecs and do not change: all threads may share them.
        nonisolated(unsafe) let codec: AnyObject

        init(type: ObjectIdentifier, isID: Bool, codec: AnyObject) {
            self.type = type
            self.isID = isID
            self.codec = codec
        }
    }

    private typealias Place = Atomic<Unmanaged<Entry>?>

    /// The places. `@unchecked Sendable`: they are atomic, and where they are does not change.
    private struct Places: @unchecked Sendable {
        let base: UnsafeMutablePointer<Place>

        init() {
            base = .allocate(capacity: size)
            for index in 0..<size { (base + index).initialize(to: Atomic(nil)) }
        }
    }

    private static let places = Places()

    /// The codec for a type, which `make` makes if it is not known yet.
    static func codec<Value>(
        for type: Value.Type, isID: Bool, make: () -> RungCodec<Value>
    ) -> RungCodec<Value> {
        let key = ObjectIdentifier(type)
        let hash = UInt(bitPattern: key) &* 0x9E37_79B9 ^ (UInt(bitPattern: key) &>> 7)
        let first = Int(truncatingIfNeeded: hash &>> 4)
        for step in 0..<steps {
            let place = places.base + ((first &+ step) & (size - 1))
            if let entry = place.pointee.load(ordering: .acquiring) {
                let entry = entry.takeUnretainedValue()
                guard entry.type == key, entry.isID == isID else { continue }
                return unsafeDowncast(entry.codec, to: RungCodec<Value>.self)
            }
            let codec = make()
            let entry = Unmanaged.passRetained(Entry(type: key, isID: isID, codec: codec))
            let (isMine, _) = place.pointee.compareExchange(
                expected: nil, desired: entry, ordering: .acquiringAndReleasing)
            // Another thread took the place: perhaps with this very type, next time will tell.
            if !isMine { entry.release() }
            return codec
        }
        return make()
    }
}
