/// Rows of a stored table that a stored index named, and all changed rows, in insertion order.
@usableFromInline
struct ListedRows: Sendable {
    /// How the index was used; its number is that among the table's.
    enum Way: Sendable {
        case ranges(index: Int, componentCount: Int, count: Int)
        case walk(index: Int, componentCount: Int, isReversed: Bool)

        static func ranges(of index: Int, _ search: IndexSearch) -> Way {
            .ranges(index: index, componentCount: search.componentCount, count: search.rangeCount)
        }

        static func walk(along index: Int, _ depth: Int, isReversed: Bool) -> Way {
            .walk(index: index, componentCount: depth, isReversed: isReversed)
        }
    }

    let slots: ContiguousArray<UInt32>
    let way: Way

    func access(in table: AnyTable) -> QueryPlan.Access {
        switch way {
        case .ranges(let index, let componentCount, let count):
            .index(
                table.indexDefinitions[index].planned(with: componentCount), ranges: count)
        case .walk(let index, let componentCount, let isReversed):
            .walk(
                table.indexDefinitions[index].planned(with: componentCount),
                backwards: isReversed)
        }
    }
}

extension IndexDefinition {
    /// The index as a plan names it, with so many of its components.
    fileprivate func planned(with componentCount: Int) -> QueryPlan.Index {
        QueryPlan.Index(
            name: name, kind: "\(kind)", properties: properties(componentCount))
    }
}
