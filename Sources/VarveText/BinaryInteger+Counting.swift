extension BinaryInteger {
    /// The number with its noun: `1 link`, `2 links`, `0 entities`.
    package func counted(_ noun: String, _ plural: String? = nil) -> String {
        "\(self) " + (self == 1 ? noun : plural ?? noun + "s")
    }
}
