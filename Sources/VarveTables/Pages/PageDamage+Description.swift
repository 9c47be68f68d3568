extension PageDamage: CustomStringConvertible {
    /// One line that says which part it is, and what is wrong with it.
    package var description: String {
        switch self {
        case .unreadable(let place, let reason): "\(place) cannot be read: \(reason)"
        case .cut(let place, let found): "\(place) ends after \(found) of \(place.byteCount) bytes"
        case .checksum(let place, let expected, let found):
            "the checksum of \(place) is \(found), and \(expected) was written"
        case .content(let place, let reason): "\(place) is not what was written: \(reason)"
        case .noMemory(let place): "there is no memory for \(place)"
        case .contradiction: "its pages contradict each other"
        }
    }
}

extension PageDamage.Place: CustomStringConvertible {
    package var description: String { "\(part) at offset \(offset) of the image" }
}

extension PageDamage.Place.Part: CustomStringConvertible {
    package var description: String {
        switch self {
        case .block(let number): "block \(number)"
        case .directory(let chunk): "the directory of chunk \(chunk)"
        }
    }
}
