/// What is wrong in a text that is read, and where in it.
struct ExchangeProblem: Error, Hashable, Sendable {
    let reason: String
    /// A position among the bytes of the line or of the document.
    let offset: Int

    init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
