/// One of the libraries that ``LogStructured`` drives.
protocol LogStructuredLibrary {
    static var engine: EngineName { get }
    static var calls: LogStructuredCalls { get }
    static func tune(_ options: OpaquePointer, _ cache: CacheSize)
}

/// The functions of such a library, which differ by the prefix of their names.
struct LogStructuredCalls: Sendable {
    typealias Object = OpaquePointer?
    typealias Characters = UnsafePointer<CChar>?
    typealias Text = UnsafeMutablePointer<CChar>?
    typealias Failure = UnsafeMutablePointer<Text>?
    typealias Count = UnsafeMutablePointer<Int>?
    typealias Make = @convention(c) () -> Object
    typealias Free = @convention(c) (Object) -> Void

    let makeOptions, makeReadOptions, makeWriteOptions, makeBatch: Make
    let freeOptions, freeReadOptions, freeWriteOptions, freeBatch, freeIterator, close: Free
    let setSync: @convention(c) (Object, UInt8) -> Void
    let open: @convention(c) (Object, Characters, Failure) -> Object
    let write: @convention(c) (Object, Object, Object, Failure) -> Void
    let put: @convention(c) (Object, Characters, Int, Characters, Int) -> Void
    let delete: @convention(c) (Object, Characters, Int) -> Void
    let get: @convention(c) (Object, Object, Characters, Int, Count, Failure) -> Text
    let free: @convention(c) (UnsafeMutableRawPointer?) -> Void
    let makeSnapshot: @convention(c) (Object) -> Object
    let setSnapshot: @convention(c) (Object, Object) -> Void
    let freeSnapshot: @convention(c) (Object, Object) -> Void
    let makeIterator: @convention(c) (Object, Object) -> Object
    let seek: @convention(c) (Object, Characters, Int) -> Void
    let isValid: @convention(c) (Object) -> UInt8
    let key, value: @convention(c) (Object, Count) -> Characters
    let next: @convention(c) (Object) -> Void
    let iteratorError: @convention(c) (Object, Failure) -> Void
    let compact: @convention(c) (Object, Characters, Int, Characters, Int) -> Void
}
