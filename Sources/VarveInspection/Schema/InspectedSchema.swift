internal import VarveReplay

/// The entity types of a store, as its log describes them.
///
/// Indexes, unique constraints and hooks belong to the program alone: a log holds none of them. Checkpoints store some
/// indexes, by which queries find rows.
public struct InspectedSchema: Sendable {
    /// The identity of the store.
    public let store: StoreID
    /// The newest transaction that the log holds, 0 of an empty one.
    public let transaction: TransactionID
    /// In order of their numbers.
    public let types: [InspectedType]
    /// Why newer definitions may be missing: the place that could not be read.
    public let damage: InspectionError?
}

extension InspectedSchema {
    /// Types that are no tombstones of others: the entities that a program declares.
    public var entities: [InspectedType] { types.filter { $0.tombstoneOf == nil } }

    /// The type of a name.
    public func type(named name: String) -> InspectedType? { types.first { $0.name == name } }
}

extension Inspection {
    /// The entity types in force behind the last transaction.
    ///
    /// Reads the newest segment that holds transactions, or a checkpoint's definitions where there is
    /// none. Where that is damaged, the newest definitions before the damage are returned with it.
    public func schema() throws(InspectionError) -> InspectedSchema {
        let (catalog, damage) = try newestCatalog()
        return InspectedSchema(
            store: store, transaction: lastTransaction,
            types: catalog.definitions.map { definition in
                InspectedType(definition) { catalog.definition(of: $0) }
            }, damage: damage)
    }

    private func newestCatalog() throws(InspectionError) -> (Catalog, InspectionError?) {
        var damage: InspectionError?
        for position in snapshot.segments.indices.reversed()
        where snapshot.segments[position].transactions > 0 {
            do throws(InspectionError) {
                return (try catalog(ofSegmentAt: position), damage)
            } catch {
                damage = damage ?? error
            }
            if let head = headCatalog(ofSegmentAt: position) { return (head, damage) }
        }
        for reference in scanned.manifest.checkpoints {
            do throws(LogError) {
                return (try scanned.open(reference).loadCatalog(), damage)
            } catch {
                damage = damage ?? .log(error)
            }
        }
        if let damage { throw damage }
        return (Catalog(), nil)
    }

    /// What the head of a damaged segment repeats of the definitions before it; nil where there is nothing.
    private func headCatalog(ofSegmentAt position: Int) -> Catalog? {
        let first = snapshot.segments[position].header.firstSequence.rawValue
        do throws(InspectionError) {
            let head = try SegmentCatalog(
                snapshot, segmentAt: position, through: TransactionID(first &- 1)
            ).catalog
            return head.isEmpty ? nil : head
        } catch {
            // The damage of the segment is reported already.
            return nil
        }
    }
}
