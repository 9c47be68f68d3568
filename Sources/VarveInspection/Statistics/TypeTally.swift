internal import VarveEvents

/// What the log says of one type, while it is read.
struct TypeTally {
    private(set) var insertions: UInt64 = 0
    private(set) var updates: UInt64 = 0
    private(set) var deletions: UInt64 = 0
    private(set) var linkChanges: UInt64 = 0
    /// Events and ids.
    var bytes: UInt64 = 0
    var stored: Double = 0
    /// Bytes of values by field number.
    private(set) var fields: [UInt32: UInt64] = [:]
    private var layout: RowLayout?
    /// By position: since the fields' numbers were last written down.
    private var pending: [UInt64] = []

    /// Rows from here on are of this definition.
    mutating func define(_ definition: TypeDefinition) {
        settle()
        layout = RowLayout(definition)
        pending = Array(repeating: 0, count: definition.fields.count)
    }

    /// Writes down what was counted by position.
    mutating func settle() {
        guard let layout else { return }
        for (position, field) in layout.definition.fields.enumerated() where pending[position] > 0 {
            fields[field.number.rawValue, default: 0] &+= pending[position]
            pending[position] = 0
        }
    }

    mutating func insert(_ row: UnsafeRawBufferPointer) {
        insertions += 1
        add(row)
    }

    mutating func delete(_ row: UnsafeRawBufferPointer) {
        deletions += 1
        add(row)
    }

    mutating func update(_ changes: FieldChangeSequence) {
        updates += 1
        for (position, change) in changes where pending.indices.contains(position) {
            switch change {
            case .values(let old, let new): pending[position] &+= UInt64(old.count + new.count)
            case .splice(let splice):
                pending[position] &+= UInt64(splice.oldMiddle.count + splice.newMiddle.count)
            }
        }
    }

    mutating func link() { linkChanges += 1 }

    private mutating func add(_ row: UnsafeRawBufferPointer) {
        guard let layout else { return }
        do throws(CodecError) {
            try layout.forEachField(of: row) { position, bytes throws(CodecError) in
                pending[position] &+= UInt64(bytes.count)
            }
        } catch {
            // An invalid row is reported where the state is replayed.
        }
    }
}
