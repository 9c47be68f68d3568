// The pages of a checkpoint that hold a timeline; see EVENTS.md.
extension Timeline {
    private enum Flag {
        static let hasName: UInt8 = 0x01
        static let isOpen: UInt8 = 0x02
    }

    package func encode(into writer: inout ByteWriter) {
        let scopes = scopes
        writer.writeCount(scopes.count)
        for scope in scopes {
            let stacks = scope.map { named[$0] ?? Stacks() } ?? main
            writer.append(
                (scope == nil ? 0 : Flag.hasName) | (stacks.isOpen ? Flag.isOpen : 0))
            if let scope { writer.writeText(scope) }
            Self.encode(stacks.undo, into: &writer)
            Self.encode(stacks.redo, into: &writer)
        }
        let sorted = savepoints.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        writer.writeCount(sorted.count)
        for (name, transaction) in sorted {
            writer.writeText(name)
            writer.writeVarint(transaction.rawValue)
        }
        writer.writeVarint(forgotten.rawValue)
    }

    private static func encode(_ top: StepEntry?, into writer: inout ByteWriter) {
        var entries: [StepEntry] = []
        var next = top
        while let entry = next {
            entries.append(entry)
            next = entry.below
        }
        writer.writeCount(entries.count)
        var transaction: UInt64 = 0
        var time: Int64 = 0
        for entry in entries.reversed() {
            writer.writeVarint(entry.transaction.rawValue - transaction)
            writer.writeSigned(entry.time.microseconds &- time)
            transaction = entry.transaction.rawValue
            time = entry.time.microseconds
            writer.append(
                (entry.joins ? StoredStepReader.Flag.joins : 0)
                    | (entry.label == nil ? 0 : StoredStepReader.Flag.label)
                    | (entry.group == nil ? 0 : StoredStepReader.Flag.group))
            if let label = entry.label { writer.writeText(label) }
            if let group = entry.group { writer.writeText(group) }
        }
    }

    /// Reads what `encode` wrote. No transaction in it is behind `last`.
    package init(_ page: UnsafeRawBufferPointer, through last: TransactionID) throws(CodecError) {
        self.init()
        // Whose the transactions before are, the page does not say.
        newest.transaction = last
        var reader = ByteReader(page)
        for _ in 0..<(try reader.readLength()) {
            let offset = reader.position
            let flags = try reader.readFlags(
                known: Flag.hasName | Flag.isOpen, of: "undo stacks")
            let scope = flags & Flag.hasName != 0 ? try reader.readText() : nil
            var stacks = Stacks()
            stacks.undo = try StoredStepReader.readStack(&reader, through: last, moves: 0)
            // Of an undo one move is known for certain; what came before it the page does not say.
            stacks.redo = try StoredStepReader.readStack(&reader, through: last, moves: 1)
            stacks.isOpen = flags & Flag.isOpen != 0
            if let scope {
                guard named.updateValue(stacks, forKey: scope) == nil else {
                    throw .notAscending(offset: offset)
                }
            } else {
                guard main.isEmpty else { throw .notAscending(offset: offset) }
                main = stacks
            }
        }
        for _ in 0..<(try reader.readLength()) {
            let name = try reader.readText()
            savepoints[name] = try Self.readTransaction(&reader, after: 0, through: last)
        }
        let offset = reader.position
        forgotten = TransactionID(try reader.readVarint())
        guard forgotten <= last else {
            throw .valueOutOfRange(offset: offset, typeName: "TransactionID")
        }
        try reader.expectEnd()
    }

    static func readTransaction(
        _ reader: inout ByteReader, after previous: UInt64, through last: TransactionID
    ) throws(CodecError) -> TransactionID {
        let offset = reader.position
        let (transaction, overflow) = previous.addingReportingOverflow(try reader.readVarint())
        guard !overflow, transaction > previous, transaction <= last.rawValue else {
            throw .valueOutOfRange(offset: offset, typeName: "TransactionID")
        }
        return TransactionID(transaction)
    }
}

// Migrations have a page of their own, which a reader must understand: without it, it would perform them again.
extension Timeline {
    package func encodeMigrations(into writer: inout ByteWriter) {
        for migration in migrations {
            migration.id.encode(into: &writer)
            writer.writeVarint(migration.transaction.rawValue)
        }
    }

    /// Reads what `encodeMigrations` wrote: each migration once, oldest first, and none behind `last`.
    package mutating func readMigrations(
        _ page: UnsafeRawBufferPointer, count: UInt32, through last: TransactionID
    ) throws(CodecError) {
        var reader = ByteReader(page)
        var known = Set(migrations.map(\.id))
        for _ in 0..<count {
            let start = reader.position
            let id = try MigrationID(from: &reader)
            guard known.insert(id).inserted else {
                throw .invalidValue(offset: start, typeName: "migrations")
            }
            let offset = reader.position
            let transaction = TransactionID(try reader.readVarint())
            guard transaction > 0, transaction <= last,
                transaction >= migrations.last?.transaction ?? 0
            else { throw .valueOutOfRange(offset: offset, typeName: "TransactionID") }
            migrations.append(PerformedMigration(id: id, transaction: transaction))
        }
        try reader.expectEnd()
    }
}

extension Timeline {
    /// Without what cannot be undone or redone any more: steps with a transaction below the floor. What can be
    /// redone goes as a whole: without its oldest transaction a redo would stop short of the newest step.
    package func trimmed(below floor: TransactionID) -> Timeline {
        func trimmed(_ top: StepEntry?) -> StepEntry? {
            // Asked first: what is stored would be made for nothing.
            guard let top, top.lowest < floor else { return top }
            var entries: [StepEntry] = []
            var next: StepEntry? = top
            while let entry = next {
                if entry.first < floor { break }
                entries.append(entry)
                next = entry.below
            }
            guard next != nil else { return top }
            return entries.reversed().reduce(nil) { below, entry in
                StepEntry(
                    entry.transaction, time: entry.time, label: entry.label, group: entry.group,
                    joins: entry.joins, moves: entry.moves, below: below)
            }
        }
        func trimmed(_ stacks: Stacks) -> Stacks {
            Stacks(
                undo: trimmed(stacks.undo), redo: Self.redoable(stacks.redo, from: floor),
                isOpen: stacks.isOpen)
        }
        var result = self
        result.main = trimmed(main)
        result.named = named.mapValues { trimmed($0) }.filter { !$0.value.isEmpty }
        result.savepoints = savepoints.filter { $0.value >= floor }
        return result
    }

    /// A stack of what can be redone, if history from a transaction on is enough for all of it.
    static func redoable(_ top: StepEntry?, from floor: TransactionID) -> StepEntry? {
        top.flatMap { $0.lowest >= floor ? $0 : nil }
    }

    /// What a retention that begins with `floor` shall not count, and what it shall keep: how many undos and redos
    /// led to the steps of the scopes that are in use, and the oldest undo that can be redone in them.
    ///
    /// A scope is in use if something was written, undone or redone in it from `floor` on.
    package func moves(
        since floor: TransactionID
    ) -> (count: UInt64, oldest: TransactionID)? {
        var count: UInt64 = 0
        var oldest: TransactionID?
        for stacks in [main] + named.values {
            let newest = max(stacks.undo?.transaction ?? 0, stacks.redo?.transaction ?? 0)
            guard newest >= floor else { continue }
            if let lowest = stacks.redo?.lowest { oldest = min(oldest ?? lowest, lowest) }
            var next = stacks.redo
            while let entry = next {
                count += entry.moves
                next = entry.below
            }
            next = stacks.undo
            while let entry = next, entry.transaction >= floor || entry.moves > 0 {
                count += entry.moves
                next = entry.below
            }
        }
        return count == 0 && oldest == nil ? nil : (count, oldest ?? floor)
    }
}
