extension Moment {
    /// ISO 8601: a day, with a time of day or without, in UTC unless an offset says otherwise.
    ///
    /// Nil where the text is no date. What is finer than a microsecond is cut off.
    public init?(iso8601 text: String) {
        guard let date = DateText(text) else { return nil }
        self.init(microseconds: date.seconds * 1_000_000 + date.nanoseconds / 1_000)
    }
}
