internal import Foundation
internal import VarveEvents
internal import VarveLog

/// What a transaction says about itself.
extension Writer {
    /// The header of an undo or a redo.
    func header(
        _ kind: TransactionHeader.Kind, _ label: String?, _ options: UndoOptions, _ core: Core
    ) -> TransactionHeader {
        TransactionHeader(
            id: core.nextTransaction, time: core.now, kind: kind, isUndoable: false,
            label: label == "" ? nil : label, scope: options.scope, author: options.author)
    }

    func header(
        _ label: String, _ options: WriteOptions, _ core: Core
    ) -> TransactionHeader {
        let id = core.nextTransaction
        let time = core.now
        var group = options.group
        if group == nil, let coalescing = options.coalescing {
            group = core.sharedHead.timeline.group(
                key: coalescing.key, within: coalescing.interval.microseconds, at: time,
                scope: options.scope, next: id)
        }
        return TransactionHeader(
            id: id, time: time, kind: .write, isUndoable: options.undoable,
            label: label.isEmpty ? nil : label, scope: options.scope, group: group,
            author: options.author, metadata: options.metadata)
    }

    /// A name that no other group has which could follow in the log.
    func makeGroupName(_ label: String) -> String {
        let number = groups.withLock { number in
            number += 1
            return number
        }
        return "\(label)#\(published.lastTransaction).\(number)"
    }
}

extension Writer.Core {
    var nextTransaction: TransactionID {
        TransactionID(sharedHead.lastTransaction.rawValue + 1)
    }

    var now: Timestamp {
        Timestamp(microseconds: opening.environment.wallClockMicroseconds())
    }
}
