package import VarveEvents
internal import VarveLog

/// The only place that knows how the files of assets are named.
///
/// A name is made from the 32 bytes of a digest alone, so that nothing that a log says leads out of the store.
package enum AssetFileName {
    static var root: String { StoreFileName.assets.text }

    /// The folder of a digest inside `assets/`: its first byte, as two hexadecimal digits.
    static func folder(of digest: AssetDigest) -> String { String(digest.description.prefix(2)) }

    /// The name inside that folder: the other bytes.
    static func name(of digest: AssetDigest) -> String { String(digest.description.dropFirst(2)) }

    /// The path inside the store's directory.
    package static func path(of digest: AssetDigest) -> String {
        root + "/" + folder(of: digest) + "/" + name(of: digest)
    }

    /// Nil for every name that is not one of these.
    static func digest(folder: String, name: String) -> AssetDigest? {
        folder.utf8.count == 2 ? AssetDigest(hexadecimal: folder + name) : nil
    }

    static func isFolder(_ name: String) -> Bool {
        name.utf8.count == 2
            && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// A content that has not got its name yet.
    static func staged(_ number: UInt64) -> String { prefix + String(number, radix: 16) + suffix }

    static func isStaged(_ name: String) -> Bool {
        name.hasPrefix(prefix) && name.hasSuffix(suffix)
    }

    private static let prefix = "staged-"
    private static let suffix = ".tmp"
}
