/// A growable array of plain values without the bookkeeping of `Array`.
///
/// Replay touches several columns for each event; here an access is a load or a store. Indices
/// come from the tables' own maps, never from input, and are checked in debug builds.
struct RawColumn<Element: BitwiseCopyable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 16) {
        self.capacity = max(capacity, 1)
        base = .allocate(capacity: self.capacity)
    }

    init(repeating element: Element, count: Int) {
        self.init(capacity: count)
        base.initialize(repeating: element, count: count)
        self.count = count
    }

    /// A column whose elements are all yet to be initialised, by ``initialize(_:to:)``.
    init(uninitializedCount count: Int) {
        // With room for more: the first element that is appended would move all of them. Memory
        // that nothing was written to costs nothing.
        self.init(capacity: count + count / 8)
        self.count = count
    }

    deinit {
        base.deallocate()
    }

    subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < count)
            return base[index]
        }
        set {
            assert(index >= 0 && index < count)
            base[index] = newValue
        }
    }

    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count += 1
    }

    /// All elements, as long as none is appended.
    var elements: UnsafeBufferPointer<Element> {
        UnsafeBufferPointer(start: base, count: count)
    }

    /// Sets an element in place. Several threads may set different elements at once.
    func initialize(_ index: Int, to element: Element) {
        assert(index >= 0 && index < count)
        (base + index).initialize(to: element)
    }

    mutating func removeAll() {
        count = 0
    }

    private mutating func grow() {
        let wider = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        wider.update(from: base, count: count)
        base.deallocate()
        base = wider
        capacity *= 2
    }

    /// Calls `body` with the element in place.
    mutating func modify<Result>(_ index: Int, _ body: (inout Element) -> Result) -> Result {
        assert(index >= 0 && index < count)
        return body(&base[index])
    }
}
