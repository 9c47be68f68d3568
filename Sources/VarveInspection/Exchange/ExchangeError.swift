public import Foundation
internal import VarveText

/// Why data cannot be exported or imported. Nothing was written then.
public enum ExchangeError: Error, Hashable, Sendable {
    /// The store cannot be read or written.
    case inspection(InspectionError)
    /// A file cannot be opened, read or written.
    case file(path: String, reason: String)
    /// A schema cannot be understood. Lines and columns count from 1.
    case schema(path: String, line: Int, column: Int, reason: String)
    /// The types of a file do not fit those of the store.
    case types([String])
    /// There is no schema for a file's columns. `example` is one to begin with.
    case noSchema(path: String, columns: [String], example: String)
    /// A file has no first line, and nothing else says what it holds.
    case emptyFile(path: String)
    /// Nothing says of which type the lines of a file are.
    case noType(path: String, known: [String])
    /// The new store would not read back as it was written.
    case notReadBack(reason: String)
}

extension ExchangeError: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String { message.text }

    private var message: ErrorMessage {
        switch self {
        case .inspection(let error): error.message
        case .file(let path, let reason): ErrorMessage("\(path): \(reason)")
        case .schema(let path, let line, let column, let reason):
            ErrorMessage("\(path), line \(line), column \(column): \(reason)")
        case .types(let reasons):
            ErrorMessage("the types do not fit: " + reasons.joined(separator: "; "))
        case .noSchema(let path, let columns, _):
            ErrorMessage(
                columns.isEmpty
                    ? "\(path): no schema says what it holds"
                    : "\(path): no schema says what its columns are ("
                        + columns.joined(separator: ", ") + ")", "give one with --schema=FILE")
        case .emptyFile(let path):
            ErrorMessage(
                "\(path) is empty, and no schema says what it would hold",
                "give a file with JSON lines, or with comma-separated values below a line of titles"
            )
        case .noType(let path, let known):
            ErrorMessage(
                "\(path): no type is named like the file",
                "give one with --type=TYPE; there is "
                    + (known.isEmpty ? "none" : known.joined(separator: ", ")))
        case .notReadBack(let reason):
            ErrorMessage(
                "the new store does not read back as it was written, and was not kept: \(reason)")
        }
    }

    /// Lines for people to copy, where there are some.
    public var example: String? {
        guard case .noSchema(_, let columns, let example) = self, !columns.isEmpty else {
            return nil
        }
        return example
    }
}

extension ExchangeError: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}

extension ExchangeError {
    static func wrapping<Result>(
        _ body: () throws(InspectionError) -> Result
    ) throws(ExchangeError) -> Result {
        do throws(InspectionError) {
            return try body()
        } catch {
            throw .inspection(error)
        }
    }
}
