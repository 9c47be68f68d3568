internal import Foundation
internal import VarveLog

/// A structure of a store's file, as its bytes lie there, with the names of its fields.
public struct HexDump: Sendable {
    /// What to show.
    public enum Subject: Hashable, Sendable {
        /// The frames of a transaction.
        case transaction(TransactionID)
        /// The frame at a place of a segment.
        case frame(FrameLocation)
        /// The newest manifest.
        case manifest
        /// Header and footer of the segment with this number.
        case segment(UInt64)
        /// Headers and footer of the checkpoint with this number.
        case checkpoint(UInt64)
    }

    /// One field of a structure, or a run of bytes that are no field.
    public struct Field: Hashable, Sendable {
        /// Where the field begins in the file, in bytes.
        public let offset: UInt64
        /// The bytes of the field.
        public let bytes: [UInt8]
        /// As Docs/FORMAT.md calls it; empty for bytes that are no field.
        public let name: String
        /// What the bytes say; nil where that is nothing.
        public let value: String?
    }

    /// The name of the file.
    public let file: String
    /// Where the structure begins in the file, in bytes.
    public let offset: UInt64
    /// What it is: a frame header, a manifest.
    public let name: String
    /// The fields in the order of their offsets.
    public let fields: [Field]
    /// All of its bytes, of which `fields` may show the first only.
    public let length: UInt64
    /// What is wrong with it, if anything is.
    public let problem: String?

    /// Reads structures from a store's files, in whatever state the rest of the store is.
    ///
    /// - Parameters:
    ///   - subject: what to show.
    ///   - path: the store's directory.
    ///   - payloadBytesMax: how much of a payload to show.
    public static func read(
        _ subject: Subject, at path: String, payloadBytesMax: UInt64 = 256
    ) throws(InspectionError) -> [HexDump] {
        let fileSystem = ReadObservation.fileSystem(at: path)
        let reader = RawRecordReader(fileSystem, payloadBytesMax: payloadBytesMax)
        let records =
            switch subject {
            case .transaction(let id): try frames(of: id, in: fileSystem, reader)
            case .frame(let location):
                try wrapping { () throws(LogError) in
                    try reader.frame(location.segment, at: location.offset)
                }
            case .manifest: try wrapping { () throws(LogError) in try reader.manifest() }
            case .segment(let number):
                try wrapping { () throws(LogError) in try reader.segment(SegmentID(number)) }
            case .checkpoint(let number):
                try wrapping { () throws(LogError) in try reader.checkpoint(number) }
            }
        if records.isEmpty, case .transaction(let id) = subject {
            let inspection = try Inspection(fileSystem)
            throw .noSuchTransaction(
                id, first: inspection.firstTransaction, last: inspection.lastTransaction)
        }
        return records.map { HexDump($0) }
    }

    private static func wrapping(
        _ body: () throws(LogError) -> [RawRecord]
    ) throws(InspectionError) -> [RawRecord] {
        try InspectionError.wrapping(body)
    }

    /// All frames of a transaction, one behind the other, damaged or not.
    private static func frames(
        of id: TransactionID, in fileSystem: any FileSystem, _ reader: RawRecordReader
    ) throws(InspectionError) -> [RawRecord] {
        try wrapping { () throws(LogError) in
            var records: [RawRecord] = []
            for place in try reader.frames(of: LogSequence(id.rawValue)) {
                records += try reader.frame(place.segment, at: place.offset)
            }
            return records
        }
    }
}

extension HexDump {
    init(_ record: RawRecord) {
        file = record.file
        offset = record.offset
        name = record.name
        length = record.length
        problem = record.problem
        guard let structure = record.structure else {
            fields = [Field(offset: record.offset, bytes: record.bytes, name: "", value: nil)]
            return
        }
        fields = structure.fields.compactMap { field in
            guard field.offset + field.size <= record.bytes.count else { return nil }
            let bytes = Array(record.bytes[field.offset..<(field.offset + field.size)])
            return Field(
                offset: record.offset + UInt64(field.offset), bytes: bytes, name: field.name,
                value: field.meaning.text(of: bytes))
        }
    }
}

extension FormatField.Meaning {
    /// What the bytes of a field say.
    func text(of bytes: [UInt8]) -> String? {
        let number = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch self {
        case .magic:
            return "'"
                + bytes.map { 0x21..<0x7F ~= $0 ? String(UnicodeScalar($0)) : "." }.joined() + "'"
        case .number: return String(number)
        case .time:
            let microseconds = Int64(bitPattern: number)
            return microseconds == 0 ? "0" : Moment(microseconds: microseconds).iso8601
        case .identity: return Self.identity(bytes)
        case .bits: return "0x" + String(number, radix: 16)
        case .features: return number == 0 ? "none" : "0x" + String(number, radix: 16)
        case .frameType: return Self.named(number, Self.frameTypes)
        case .codec: return Self.named(number, [0: "stored", 1: "LZ4"])
        case .frameFlags: return Self.flags(number)
        case .reserved: return number == 0 ? nil : "0x" + String(number, radix: 16)
        }
    }

    private static let frameTypes: [UInt64: String] = [
        1: "transaction", 2: "catalog", 3: "seal", 4: "footer",
    ]

    private static func named(_ number: UInt64, _ names: [UInt64: String]) -> String {
        "\(number), \(names[number] ?? "unknown")"
    }

    private static func flags(_ number: UInt64) -> String {
        let names: [(UInt64, String)] = [(1, "more follow"), (2, "not the first"), (4, "clean")]
        let set = names.filter { number & $0.0 != 0 }.map(\.1)
        return set.isEmpty ? "\(number)" : "\(number), " + set.joined(separator: ", ")
    }

    private static func identity(_ bytes: [UInt8]) -> String {
        func half(_ slice: ArraySlice<UInt8>) -> UInt64 {
            slice.reduce(0) { $0 << 8 | UInt64($1) }
        }
        return "\(StoreID(high: half(bytes[..<8]), low: half(bytes[8...])))"
    }
}
