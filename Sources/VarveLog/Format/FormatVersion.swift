/// The version of the format and the features that a file uses.
///
/// Another major version is refused. A minor version adds only what older programs may ignore.
package struct FormatVersion: Hashable, Sendable {
    package var major: UInt16
    package var minor: UInt16

    package static let current = FormatVersion(major: 1, minor: 0)
}

/// Features of one file, by what a program that does not know them may still do.
package struct FormatFeatures: Hashable, Sendable {
    /// Unknown bits: the file cannot be read. Bit 0 is reserved for encryption; bit 1 is
    /// ``checkpoint``, bit 2 is ``image``.
    package var incompatible: UInt32 = 0
    /// Unknown bits: the store can be read, not written. Bit 0 is reserved for replicas.
    package var readOnlyCompatible: UInt32 = 0
    /// Unknown bits change nothing. Bit 0 is reserved for assets.
    package var compatible: UInt32 = 0

    package static let none = FormatFeatures()

    /// A manifest that names a checkpoint: whoever does not know checkpoints must not take the log
    /// for the whole state.
    static let checkpoint: UInt32 = 1 << 1

    /// A checkpoint whose pages are the blocks and the root of an image.
    static let image: UInt32 = 1 << 2

    private static let knownReadOnlyCompatible: UInt32 = 0

    /// Refuses what this version cannot do with a file of these features.
    func check(
        file: String, version: FormatVersion, mode: LogMode, knownIncompatible: UInt32 = 0
    ) throws(LogError) {
        guard version.major == FormatVersion.current.major else {
            throw .unsupportedVersion(
                file: file, found: version.major, supported: FormatVersion.current.major)
        }
        let unreadable = incompatible & ~knownIncompatible
        guard unreadable == 0 else {
            throw .unsupportedFeatures(file: file, bits: unreadable)
        }
        let unwritable = readOnlyCompatible & ~Self.knownReadOnlyCompatible
        guard mode == .readOnly || unwritable == 0 else {
            throw .unsupportedFeatures(file: file, bits: unwritable)
        }
    }
}

/// Eight bytes that open a file. As in PNG, the first has its high bit set and a CR LF, a Ctrl-Z
/// and a LF follow, so that transfers which alter text are noticed at once.
enum FileMagic {
    static let segment: UInt64 = 0x0A1A_0A0D_5652_5689  // 89 'V' 'R' 'V' 0D 0A 1A 0A
    static let manifest: UInt64 = 0x0A1A_0A0D_4D52_5689  // 89 'V' 'R' 'M' 0D 0A 1A 0A
    static let checkpoint: UInt64 = 0x0A1A_0A0D_4352_5689  // 89 'V' 'R' 'C' 0D 0A 1A 0A
}
