/// Values that an index is searched for: of its first fields, and limits of the next one. Each is the bytes that a row has
/// for it.
package struct FieldBounds: Sendable {
    package let equal: [[UInt8]]
    /// Limits of the value, whatever the direction of the index. What is equal to one lies within.
    package let lower: [UInt8]?
    package let upper: [UInt8]?

    package init(equal: [[UInt8]], lower: [UInt8]? = nil, upper: [UInt8]? = nil) {
        self.equal = equal
        self.lower = lower
        self.upper = upper
    }
}
