/// Memory that grows to the largest count that was asked for, and is used again and again. What is in it is undefined.
struct ReusedMemory<Element: BitwiseCopyable>: ~Copyable {
    private var start: UnsafeMutablePointer<Element>?
    private var capacity = 0

    init() {}

    deinit { start?.deallocate() }

    /// Memory for so many elements, until more are asked for.
    mutating func pointer(_ count: Int) -> UnsafeMutablePointer<Element> {
        if let start, count <= capacity { return start }
        start?.deallocate()
        let made = UnsafeMutablePointer<Element>.allocate(capacity: max(count, 1))
        (start, capacity) = (made, max(count, 1))
        return made
    }
}
