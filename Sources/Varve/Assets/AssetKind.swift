internal import VarveEvents
internal import VarveText

/// What is known of an asset's content beside the content: nothing depends on it.
struct AssetKind: Sendable {
    let pathExtension: String
    let mediaType: String

    /// Refuses what apps could not put into a file's name or a header without a look at it.
    ///
    /// - Parameters:
    ///   - pathExtension: may begin with a period, which is left out.
    ///   - otherwise: the media type where neither it nor the extension tells one.
    init(
        _ pathExtension: String, _ mediaType: String?, otherwise: String, of content: Any.Type
    ) throws(StoreError) {
        self.pathExtension = String(pathExtension.drop { $0 == "." })
        try Self.check(self.pathExtension, "pathExtension", "a file extension", content) {
            $0 != 0 && $0 != UInt8(ascii: "/")
        }
        self.mediaType = mediaType ?? MediaType.of(pathExtension: self.pathExtension) ?? otherwise
        try Self.check(self.mediaType, "mediaType", "a media type", content) {
            $0 >= 0x20 && $0 != 0x7F
        }
    }

    private static func check(
        _ text: String, _ property: String, _ kind: String, _ content: Any.Type,
        _ isAllowed: (UInt8) -> Bool
    ) throws(StoreError) {
        guard let offset = text.utf8.enumerated().first(where: { !isAllowed($0.element) })?.offset
        else { return }
        throw .unencodable(
            type: "Asset", id: "of \(content)",
            .unreadableProperty(
                property, value: "\"\(text.escapedForDisplay)\"",
                .invalidValue(offset: offset, typeName: kind)))
    }
}
