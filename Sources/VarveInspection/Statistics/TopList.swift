/// The largest elements of many, by a weight. Holds no more than it is to keep.
struct TopList<Element> {
    private let limit: Int
    /// The largest first; of equal ones the earlier.
    private(set) var elements: [(weight: UInt64, element: Element)] = []

    init(limit: Int) { self.limit = limit }

    func admits(_ weight: UInt64) -> Bool {
        elements.count < limit || weight > (elements.last?.weight ?? 0)
    }

    mutating func add(_ weight: UInt64, _ element: Element) {
        guard limit > 0, admits(weight) else { return }
        let position = elements.firstIndex { $0.weight < weight } ?? elements.count
        elements.insert((weight, element), at: position)
        if elements.count > limit { elements.removeLast() }
    }
}
