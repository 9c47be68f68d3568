package import VarveEvents

/// Why an image cannot be opened or written.
package enum ImageError: Error, Sendable {
    case storage(BlockStorageError)
    /// The end of the bytes is no root of an image, or the root's checksum differs.
    case noRoot(offset: UInt64)
    /// Another version wrote it, in a form that this one does not know.
    case unsupported(version: UInt32, supported: ClosedRange<UInt32>)
    /// The root is intact and cannot be of a state: a forger wrote it.
    case malformedRoot(reason: String)
    /// A block that is needed now cannot be used.
    case damaged(PageDamage)
    /// A definition cannot be written.
    case content(CodecError)
}

extension ImageError {
    static func storing<Result>(
        _ body: () throws(BlockStorageError) -> Result
    ) throws(ImageError) -> Result {
        do throws(BlockStorageError) {
            return try body()
        } catch {
            throw .storage(error)
        }
    }

    static func reading<Result>(
        _ body: () throws(PageDamage) -> Result
    ) throws(ImageError) -> Result {
        do throws(PageDamage) {
            return try body()
        } catch {
            throw .damaged(error)
        }
    }

    static func decodingRoot<Result>(
        _ body: () throws(CodecError) -> Result
    ) throws(ImageError) -> Result {
        do throws(CodecError) {
            return try body()
        } catch {
            throw .malformedRoot(reason: "\(error)")
        }
    }
}

extension ImageError: CustomStringConvertible {
    /// One line that says what is wrong.
    package var description: String {
        switch self {
        case .storage(let error): error.reason
        case .noRoot: "the root of its image is not what was written"
        case .unsupported(let version, let supported):
            "its image has form \(version), and this version reads forms "
                + "\(supported.lowerBound) to \(supported.upperBound)"
        case .malformedRoot(let reason): "the root of its image: \(reason)"
        case .damaged(let damage): "\(damage)"
        case .content(let error): "a definition cannot be written: \(error)"
        }
    }
}
