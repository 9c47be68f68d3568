import BenchmarkSupport
import Foundation

/// A content of random letters and digits, made block by block. Each block begins with the numbers of its content and
/// its place, so no two are equal. What is compressed does not become smaller by more than a quarter.
struct Content: Sequence, Sendable {
    let number: Int
    let byteCount: Int

    static let blockBytes = 1 << 18

    private static let block: [UInt8] = {
        var random = SplitMix(state: 41)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        return (0..<blockBytes).map { _ in letters[Int(random.next() % 64)] }
    }()

    struct Iterator: IteratorProtocol {
        fileprivate let content: Content
        private var offset = 0

        fileprivate init(_ content: Content) { self.content = content }

        mutating func next() -> Data? {
            let count = Swift.min(Content.blockBytes, content.byteCount - offset)
            guard count > 0 else { return nil }
            var data = Data(Content.block[..<count])
            let stamp = Array(Content.stamp(content.number, at: offset).utf8.prefix(count))
            data.replaceSubrange(0..<stamp.count, with: stamp)
            offset += count
            return data
        }
    }

    func makeIterator() -> Iterator { Iterator(self) }

    /// What the block at an offset begins with.
    static func stamp(_ number: Int, at offset: Int) -> String {
        String(format: "%08x%08x", number, offset / blockBytes)
    }

    /// As a sequence that tasks read.
    struct Blocks: AsyncSequence, Sendable {
        let content: Content

        struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var base: Content.Iterator

            mutating func next() async -> Data? { base.next() }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: content.makeIterator()) }
    }

    /// All of it in memory.
    var data: Data {
        var data = Data(capacity: byteCount)
        for block in self { data += block }
        return data
    }

    var text: String { String(decoding: data, as: UTF8.self) }
}
