internal import VarveLog

extension FileSystemError {
    /// The error with the place inside of the store: the name of a file alone does not say where it is.
    func naming(_ path: String) -> FileSystemError {
        FileSystemError(operation, file: path, reason: reason)
    }
}
