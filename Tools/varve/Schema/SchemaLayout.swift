import VarveInspection

/// Where the boxes of a drawing of types go.
///
/// Types that are related lie in columns by their distance from one of them: so a relation leads to a neighbouring
/// column or stays in its own, and no line has to pass a box. Of all types the one is the first whose columns make the
/// drawing least tall and wide. Groups lie below one another, types without relations in rows at the end.
struct SchemaLayout {
    struct Size {
        let width: Double
        let height: Double
    }

    struct Box {
        var x = 0.0
        var y = 0.0
        /// The column, counted from the left; nil of a type without relations.
        var column: Int?
    }

    static let (columnGap, rowGap, margin) = (84.0, 20.0, 12.0)
    private static let rowWidth = 1_040.0

    private(set) var boxes: [Box]
    private(set) var size = Size(width: 0, height: 0)
    private let sizes: [Size]
    private let neighbours: [[Int]]

    init(_ graph: SchemaGraph, sizes: [Size]) {
        self.sizes = sizes
        boxes = Array(repeating: Box(), count: sizes.count)
        var sets = Array(repeating: Set<Int>(), count: sizes.count)
        for edge in graph.edges where edge.from != edge.to {
            sets[edge.from].insert(edge.to)
            sets[edge.to].insert(edge.from)
        }
        neighbours = sets.map { $0.sorted() }
        var (top, width) = (Self.margin, 0.0)
        var lonely: [Int] = []
        for group in groups() {
            if group.count == 1, neighbours[group[0]].isEmpty {
                lonely.append(group[0])
                continue
            }
            let placed = place(group, top: top)
            (top, width) = (placed.bottom + Self.rowGap * 1.6, max(width, placed.width))
        }
        let rows = placeRows(lonely, top: top)
        width = max(width, rows.width)
        top = lonely.isEmpty ? top - Self.rowGap * 1.6 : rows.bottom
        size = Size(width: width + Self.margin, height: top + Self.margin)
    }

    // MARK: Groups and columns

    private func groups() -> [[Int]] {
        var seen: Set<Int> = []
        var groups: [[Int]] = []
        for start in sizes.indices where !seen.contains(start) {
            let group = columns(from: start).joined().sorted()
            seen.formUnion(group)
            groups.append(group)
        }
        return groups.sorted { $0.count > $1.count }
    }

    /// The types that are reached from one, by how many relations lie between.
    private func columns(from start: Int) -> [[Int]] {
        var columns = [[start]]
        var seen: Set<Int> = [start]
        while let last = columns.last {
            let next = Set(last.flatMap { neighbours[$0] }).subtracting(seen).sorted()
            if next.isEmpty { break }
            seen.formUnion(next)
            columns.append(next)
        }
        return columns
    }

    private func height(of column: [Int]) -> Double {
        column.reduce(-Self.rowGap) { $0 + sizes[$1].height + Self.rowGap }
    }

    private func width(of columns: [[Int]]) -> Double {
        columns.reduce(-Self.columnGap) {
            $0 + (($1.map { sizes[$0].width }).max() ?? 0) + Self.columnGap
        }
    }

    private mutating func place(_ group: [Int], top: Double) -> (bottom: Double, width: Double) {
        // A drawing is read downwards: width beyond the page counts more than height.
        func cost(_ columns: [[Int]]) -> Double {
            let height = columns.map { self.height(of: $0) }.max() ?? 0
            return height + max(width(of: columns) - Self.rowWidth, 0) * 2
        }
        let candidates = group.prefix(64).map { columns(from: $0) }
        let best = candidates.min { cost($0) < cost($1) } ?? [group]
        let ordered = Self.ordered(best, neighbours)
        let tallest = ordered.map { height(of: $0) }.max() ?? 0
        var x = Self.margin
        for (number, column) in ordered.enumerated() {
            let columnWidth = column.map { sizes[$0].width }.max() ?? 0
            var y = top + (tallest - height(of: column)) / 2
            for type in column {
                boxes[type] = Box(x: x, y: y, column: number)
                y += sizes[type].height + Self.rowGap
            }
            x += columnWidth + Self.columnGap
        }
        return (top + tallest, x - Self.columnGap + Self.margin)
    }

    /// Each column in the order of where its neighbours lie, so that lines cross less.
    private static func ordered(_ columns: [[Int]], _ neighbours: [[Int]]) -> [[Int]] {
        var columns = columns
        for round in 0..<8 {
            let order =
                round.isMultiple(of: 2) ? Array(columns.indices) : columns.indices.reversed()
            for index in order {
                let other = round.isMultiple(of: 2) ? index - 1 : index + 1
                guard columns.indices.contains(other) else { continue }
                let places = Dictionary(
                    columns[other].enumerated().map { ($0.element, Double($0.offset)) },
                    uniquingKeysWith: { first, _ in first })
                let scale = Double(columns[index].count) / Double(max(columns[other].count, 1))
                let weights = columns[index].enumerated().map {
                    position, type -> (Double, Int, Int) in
                    let found = neighbours[type].compactMap { places[$0] }
                    let mean =
                        found.isEmpty
                        ? Double(position) / scale : found.reduce(0, +) / Double(found.count)
                    return (mean, position, type)
                }
                columns[index] = weights.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
            }
        }
        return columns
    }

    private mutating func placeRows(_ types: [Int], top: Double) -> (bottom: Double, width: Double)
    {
        var (x, y, tallest, width) = (Self.margin, top, 0.0, 0.0)
        for type in types {
            if x > Self.margin, x + sizes[type].width > Self.rowWidth {
                (x, y, tallest) = (Self.margin, y + tallest + Self.rowGap, 0)
            }
            boxes[type] = Box(x: x, y: y, column: nil)
            x += sizes[type].width + Self.rowGap
            tallest = max(tallest, sizes[type].height)
            width = max(width, x)
        }
        return (y + tallest, width)
    }
}
