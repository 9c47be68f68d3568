import Foundation
import Varve

/// One version of an item.
struct ItemVersion {
    let time: Date
    let what: String
    let text: String
}

/// What was removed, and can be brought back as a whole.
struct TrashedItem {
    let id: String
    let text: String
    /// How many items below it went with it.
    let count: Int
}

extension Outline {
    /// Takes the last step back. Returns its label.
    func undo() throws -> String {
        defer { reload() }
        return try store.undo().label ?? "a change"
    }

    /// Brings back the step that was undone last. Returns its label.
    func redo() throws -> String {
        defer { reload() }
        return try store.redo().label ?? "a change"
    }

    /// What can be restored: items whose parent was not removed with them.
    func trash() -> [TrashedItem] {
        let context = store.context
        let removed = Deleted<OutlineItem>.query().resolve(in: context)
        // What one removal took along has its time.
        let times = Dictionary(
            uniqueKeysWithValues: removed.map { ($0.id, $0.updatedAt(in: context)) })
        var below: [String: [String]] = [:]
        var tops: [OutlineItem] = []
        for item in removed.map(\.entity) {
            if let parent = item.$parent.id, let time = times[parent], time == times[item.id] {
                below[parent, default: []].append(item.id)
            } else {
                tops.append(item)
            }
        }
        func count(_ id: String) -> Int {
            (below[id] ?? []).reduce(0) { $0 + 1 + count($1) }
        }
        return tops.map { TrashedItem(id: $0.id, text: $0.text, count: count($0.id)) }
    }

    /// Restores an item of the trash with everything that went with it.
    func restore(_ id: String) throws {
        try store.group("Restore") {
            do {
                try store.restoreDeletion(of: OutlineItem.self, id: id)
            } catch StoreError.belowFloor {
                // So long ago that nobody knows what went with it.
                try store.restore(OutlineItem.self, id: id)
            }
            // What it stood below may be gone by now.
            guard OutlineItem.query(id).related(\.$parent).resolve(in: store.context) == nil else {
                return
            }
            try store.write("Restore") { context in
                guard var item = context.find(id) as OutlineItem? else { return }
                item.$parent = .id(OutlineItem.rootID)
                try item.save(\.$parent, to: &context)
            }
        }
        reload()
    }

    /// The versions of an item, newest first.
    func history(_ id: String) throws -> [ItemVersion] {
        try store.history(of: OutlineItem.self, id: id).map { version in
            let what =
                switch version.change {
                case .inserted: "added"
                case .updated: "edited"
                case .deleted, .deletedWith, .replaced, .purged: "removed"
                }
            let kind =
                switch version.transaction.kind {
                case .undo: " by undo"
                case .redo: " by redo"
                case .revert: " by revert"
                case .rewind: " by rewind"
                case .restore: " by restore"
                case .write, .schema, .purge: ""
                }
            return ItemVersion(
                time: version.transaction.time, what: what + kind,
                text: version.entity?.text ?? "")
        }
    }
}
