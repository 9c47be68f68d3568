/// Memory that grows with the counts that are asked for, and is used again and again. What is in it is undefined.
struct ReusedMemory<Element: BitwiseCopyable>: ~Copyable {
    private var start: UnsafeMutablePointer<Element>?
    private var capacity = 0

    init() {}

    deinit { start?.deallocate() }

    /// Memory for so many elements, until more are asked for.
    mutating func pointer(_ count: Int) -> UnsafeMutablePointer<Element> {
        if let start, count <= capacity { return start }
        start?.deallocate()
        // By half: counts that rise slowly do not make it anew each time.
        let grown = max(count, capacity + capacity / 2, 1)
        let made = UnsafeMutablePointer<Element>.allocate(capacity: grown)
        (start, capacity) = (made, grown)
        return made
    }
}
