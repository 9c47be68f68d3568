internal import VarveText

/// Who holds a store open for writing.
public struct LockHolder: Hashable, Sendable, CustomStringConvertible {
    /// Nil when the holder left no readable note.
    public let processID: Int32?
    /// The path of the holder's program; nil where the note does not say it.
    public let program: String?

    /// A holder, as its note in the lock file names it.
    public init(processID: Int32?, program: String?) {
        self.processID = processID
        self.program = program
    }

    /// Program and process, as far as they are known.
    public var description: String {
        switch (program?.escapedForDisplay, processID) {
        case (let program?, let processID?): "\(program) (process \(processID))"
        case (nil, let processID?): "process \(processID)"
        case (let program?, nil): program
        case (nil, nil): "an unknown process"
        }
    }
}
