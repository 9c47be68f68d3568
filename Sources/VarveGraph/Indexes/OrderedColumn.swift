/// How rows compare by one property of an ordered index. The closures are made where the entity's type is known, and
/// read a row at its address.
@usableFromInline
struct OrderedColumn: Sendable {
    @usableFromInline typealias Key = @Sendable (UnsafeRawPointer) -> (key: UInt64, isExact: Bool)
    @usableFromInline typealias Test = @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool
    @usableFromInline typealias Order = @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int

    let component: IndexComponent
    let key: Key
    let isSame: Test
    /// In the direction of the index.
    let compare: Order
    /// A value to look up, or nil where the operand is of another type.
    let bound: @Sendable (QueryOperand) -> IndexBoundValue?

    @usableFromInline
    init(
        _ component: IndexComponent, key: @escaping Key, isSame: @escaping Test,
        compare: @escaping Order, bound: @escaping @Sendable (QueryOperand) -> IndexBoundValue?
    ) {
        self.component = component
        self.key = key
        self.isSame = isSame
        self.compare = compare
        self.bound = bound
    }
}

/// How rows hash by one property of an index for equality.
@usableFromInline
struct HashedColumn: Sendable {
    let component: IndexComponent
    /// Whether the value is there before the entity's hooks ran.
    let isStored: Bool
    let hash: @Sendable (UnsafeRawPointer) -> UInt64
    let isSame: OrderedColumn.Test
    /// The hash of a value to look up; nil where the operand is of another type.
    let hashOperand: @Sendable (QueryOperand) -> UInt64?

    @usableFromInline
    init(
        _ component: IndexComponent, isStored: Bool,
        hash: @escaping @Sendable (UnsafeRawPointer) -> UInt64,
        isSame: @escaping OrderedColumn.Test,
        hashOperand: @escaping @Sendable (QueryOperand) -> UInt64?
    ) {
        self.component = component
        self.isStored = isStored
        self.hash = hash
        self.isSame = isSame
        self.hashOperand = hashOperand
    }
}

/// A value that an index is searched for, against the rows.
@usableFromInline
struct IndexBoundValue {
    let key: UInt64
    let isExact: Bool
    /// The order of the value and that of a row, in the direction of the index: negative, zero or positive.
    let compare: (UnsafeRawPointer) -> Int

    @usableFromInline
    init(key: UInt64, isExact: Bool, compare: @escaping (UnsafeRawPointer) -> Int) {
        self.key = key
        self.isExact = isExact
        self.compare = compare
    }
}
