public import VarveEvents
internal import VarveGraph

/// A value in the log that the app's type cannot read: a raw value without a case, JSON that its `Codable` type
/// refuses.
///
/// The log keeps its bytes. Nothing is lost, whatever the app does next.
public struct UnreadableValue: Sendable, Equatable {
    /// The name of the entity's type, as the log has it.
    public let type: String
    /// As people read it.
    public let id: String
    /// Nil where the row as a whole, or the id, cannot be read.
    public let property: String?
    /// As JSON; empty where it is not known.
    public let value: String
    /// Why the app's type cannot read the value.
    public let reason: CodecError
}

extension UnreadableValue {
    /// What the app's developer can do.
    var advice: String {
        switch reason {
        case .unknownRawValue: "give the type a case for it, or make the property optional"
        case .jsonFailed:
            "let the type's init(from:) read what earlier versions wrote: "
                + "a member that is new needs decodeIfPresent; or write a migration with "
                + conversionStep
        case .notMigratable: "let the steps of the migration take the row of then"
        default: "let the property's type read it, or give the property another name"
        }
    }

    private var conversionStep: String {
        guard let property else { return ".convert from a copy of the former type" }
        return
            ".convert(\"\(property)\", of: \"\(type)\", from: …, to: …) { … } from a copy of the "
            + "former type"
    }

    init(type: String, id: String, _ error: CodecError) {
        self.type = type
        self.id = id
        if case .unreadableProperty(let property, let value, let reason) = error {
            (self.property, self.value, self.reason) = (property, value, reason)
        } else {
            (property, value, reason) = (nil, "", error)
        }
    }
}

extension UnreadableValue {
    /// Of a row that could not be read as an entity.
    init<Entity: EntityModelProtocol>(
        _ type: Entity.Type, _ id: Entity.ID, _ row: UnsafeRawBufferPointer
    ) {
        self.init(
            type: Entity._descriptor.name, id: String(describing: id),
            Entity._descriptor.problem(inRow: row)
                ?? .invalidValue(offset: 0, typeName: Entity._descriptor.name))
    }
}

extension UnreadableValue {
    /// Of a row from before a migration that this cannot convert.
    init<Entity: EntityModelProtocol>(
        _ type: Entity.Type, _ id: Entity.ID, _ error: StoreError
    ) {
        self.init(
            type: Entity._descriptor.name, id: String(describing: id),
            .notMigratable(reason: "\(error)"))
    }
}

extension UnreadableValue: CustomStringConvertible {
    /// One line: entity, property, value and reason.
    public var description: String {
        let place = property.map { "\(type) \(id), property '\($0)'" } ?? "\(type) \(id)"
        return place + (value.isEmpty ? ": \(reason)" : ", value \(value): \(reason)")
    }
}

extension StoreError {
    /// - Parameter transaction: the one that was rolled back.
    init(_ error: ReversalError, in transaction: TransactionID) {
        if case .unreadable(let type, let id, let reason) = error {
            self = .unreadable(UnreadableValue(type: type, id: id, reason))
        } else {
            self = .inconsistent(transaction: transaction, reason: "\(error)")
        }
    }
}
