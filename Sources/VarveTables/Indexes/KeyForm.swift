import Foundation
import VarveEvents

/// What the keys of an index depend on beside the rows: the program that made them.
///
/// An index of an image whose form is another one than this program's is not used.
struct KeyForm: Hashable, Sendable {
    /// Of the bytes that ``KeyPart`` makes. A change of any key's bytes takes the next number.
    static let version: UInt32 = 1

    /// Of the program that made the keys.
    let version: UInt32
    /// How texts were composed; 0 without a text among the fields.
    let composition: UInt64

    static func current(withTexts hasTexts: Bool) -> KeyForm {
        KeyForm(version: version, composition: hasTexts ? ownComposition : 0)
    }

    /// What this process makes of texts whose composition differs between versions of Unicode: a new version
    /// may order or compose what the one before took for unassigned.
    ///
    /// Foundation does not say which version it has. Each text here is of another one, from 13 to 17: a mark between
    /// one of a higher class and one of a lower, or two scalars that are one.
    private static let ownComposition: UInt64 = {
        let marks: [UInt32] = [
            0x1ABF, 0x1AC5, 0x0898, 0x10EFD, 0x0897, 0x10EFC, 0x1ACF, 0x10EFA,
        ]
        let pairs: [(UInt32, UInt32)] = [
            (0x11935, 0x11930), (0x105D2, 0x0307), (0x11382, 0x113C9), (0x16121, 0x1611F),
            (0x16D67, 0x16D67),
        ]
        var writer = ByteWriter()
        for mark in marks {
            writer.writeText(composed([0x61, 0x0301, mark]))
            writer.writeText(composed([0x61, mark, 0x0316]))
        }
        for (first, second) in pairs { writer.writeText(composed([first, second])) }
        return writer.withBytes { KeyedHash.stableHash($0) }
    }()

    private static func composed(_ scalars: [UInt32]) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars.compactMap { Unicode.Scalar($0) })
        return text.precomposedStringWithCanonicalMapping
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(littleEndian: version)
        writer.write(littleEndian: composition)
    }

    static func decode(_ reader: inout ByteReader) throws(CodecError) -> KeyForm {
        KeyForm(
            version: try reader.readLittleEndian(), composition: try reader.readLittleEndian())
    }
}
