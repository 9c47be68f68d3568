/// Why the outline refuses, in words for the person at the keyboard.
struct OutlineFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
