/// What is known of an asset's content beside the content: nothing depends on it.
struct AssetKind: Sendable {
    let pathExtension: String
    let mediaType: String

    /// - Parameter otherwise: the media type where neither it nor the extension tells one.
    init(_ pathExtension: String, _ mediaType: String?, otherwise: String) {
        self.pathExtension = pathExtension
        self.mediaType = mediaType ?? MediaType.of(pathExtension: pathExtension) ?? otherwise
    }
}
