/// How an entity that is saved merges with the one that is stored under its id.
///
/// A strategy is a pure function of the two values: it may run on any thread, and what it captures
/// must not change.
// Unchecked: strategies written by applications capture key paths, as the ones below do. Those are
// immutable and yet not Sendable, so that no closure that is checked could hold them.
public struct MergeStrategy<T>: @unchecked Sendable {
    @usableFromInline let body: ((_ old: T, _ new: T) -> T)?
    /// Says of some strategies that the new value is older than the old one.
    @usableFromInline let isOutdated: ((_ old: T, _ new: T) -> Bool)?

    /// A strategy that a closure computes.
    ///
    /// - Parameter merge: makes one value of the stored and the new one. It must not change the id.
    @inlinable
    public init(merge: @escaping (_ old: T, _ new: T) -> T) {
        body = merge
        isOutdated = nil
    }

    /// Applies the strategies from left to right; each gets the old value and the result so far.
    public init(_ strategies: MergeStrategy<T>...) { self = MergeStrategy.joined(strategies) }

    @usableFromInline
    init(replacing: Void) {
        body = nil
        isOutdated = nil
    }

    /// A strategy whose new value may be found older than the old one.
    private init(
        isOutdated: ((_ old: T, _ new: T) -> Bool)?,
        merge: @escaping (_ old: T, _ new: T) -> T
    ) {
        body = merge
        self.isOutdated = isOutdated
    }

    static func joined(_ strategies: [MergeStrategy<T>]) -> MergeStrategy<T> {
        let judges = strategies.compactMap(\.isOutdated)
        let judge: (T, T) -> Bool = { old, new in judges.contains { $0(old, new) } }
        return MergeStrategy(isOutdated: judges.isEmpty ? nil : judge) { old, new in
            strategies.reduce(new) { result, strategy in strategy.merge(old, new: result) }
        }
    }

    /// The later of two values wins; of two that are equally late the old one stays. The strategies
    /// merge the loser into the winner.
    static func lastWriteWins(
        _ strategies: [MergeStrategy<T>],
        isEarlier: @escaping (_ first: T, _ second: T) -> Bool
    ) -> MergeStrategy<T> {
        let strategy = joined(strategies)
        return MergeStrategy(isOutdated: { old, new in isEarlier(new, old) }) { old, new in
            isEarlier(old, new) ? strategy.merge(old, new: new) : strategy.merge(new, new: old)
        }
    }

    /// Makes one value of the stored and the new one.
    @inlinable
    public func merge(_ old: T, new: T) -> T { body?(old, new) ?? new }

    /// Whether the result is always the new value, so that the old one need not be read.
    @inlinable var isReplacement: Bool { body == nil }
}

extension MergeStrategy {
    /// The new value replaces the old one.
    @inlinable public static var replace: MergeStrategy<T> { MergeStrategy(replacing: ()) }

    /// The old value of one optional property stays where the new one is nil.
    public static func patch<Value>(
        _ path: WritableKeyPath<T, Value?>
    ) -> MergeStrategy<T> {
        return MergeStrategy { old, new in
            var result = new
            result[keyPath: path] = new[keyPath: path] ?? old[keyPath: path]
            return result
        }
    }

    /// The elements of the new array follow those of the old one.
    public static func append<Element>(
        _ path: WritableKeyPath<T, [Element]>
    ) -> MergeStrategy<T> {
        return MergeStrategy { old, new in
            var result = new
            result[keyPath: path] = old[keyPath: path] + new[keyPath: path]
            return result
        }
    }

    /// The elements of the new array follow those of the old one; an empty result is nil.
    public static func append<Element>(
        _ path: WritableKeyPath<T, [Element]?>
    ) -> MergeStrategy<T> {
        return MergeStrategy { old, new in
            var result = new
            let joined = (old[keyPath: path] ?? []) + (new[keyPath: path] ?? [])
            result[keyPath: path] = joined.isEmpty ? nil : joined
            return result
        }
    }

    /// The value with the greater `path` wins; of equal ones the old value stays. The strategies
    /// then merge the loser's properties into the winner.
    ///
    /// A value that is older than the stored one changes no links either: what it says of its
    /// relations is as old as the rest. The entities that it has loaded are saved by strategies of
    /// their own.
    public static func lastWriteWins<Value: Comparable & SendableMetatype>(
        _ strategies: MergeStrategy<T>..., comparedBy path: KeyPath<T, Value>
    ) -> MergeStrategy<T> {
        lastWriteWins(strategies, comparedBy: path)
    }

    /// The value with the greater `path` wins, with strategies that are given as a list.
    public static func lastWriteWins<Value: Comparable & SendableMetatype>(
        _ strategies: [MergeStrategy<T>], comparedBy path: KeyPath<T, Value>
    ) -> MergeStrategy<T> {
        lastWriteWins(strategies) { $0[keyPath: path] < $1[keyPath: path] }
    }
}

extension MergeStrategy where T: Comparable & SendableMetatype {
    /// The greater value wins; of equal ones the old value stays. A lesser value changes no links.
    public static func lastWriteWins(_ strategies: MergeStrategy<T>...) -> MergeStrategy<T> {
        lastWriteWins(strategies) { $0 < $1 }
    }
}

extension MergeStrategy where T: EntityModelProtocol {
    /// The type's own ``EntityModelProtocol/defaultMergeStrategy``.
    @inlinable public static var `default`: MergeStrategy<T> { T.defaultMergeStrategy }
    /// The type's own ``EntityModelProtocol/fragmentMergeStrategy``.
    @inlinable public static var fragment: MergeStrategy<T> { T.fragmentMergeStrategy }
}

extension MergeStrategy {
    /// Merges one optional value: the old one stays where the new one is nil.
    public static func patch<Wrapped>() -> MergeStrategy<T> where T == Wrapped? {
        MergeStrategy { old, new in new ?? old }
    }
}

/// A read-only key path that may cross threads; see ``SendablePath`` for why it is no `KeyPath`.
///
/// The paths given to strategies, predicates and sorts are immutable; a subscript component could
/// capture a value that is not Sendable, and a literal written by the application that does so
/// shares that value knowingly.
@usableFromInline
struct SendableReadPath<Root, Value>: @unchecked Sendable {
    @usableFromInline let raw: KeyPath<Root, Value>

    @inlinable
    init(_ raw: KeyPath<Root, Value>) { self.raw = raw }
}
