import VarveLog

/// Builds the states in which a power cut can leave a disk, for crash points that only move
/// forward: what is safe by then is applied once and for all.
package struct CrashStates: Sendable {
    package let operations: [DiskOperation]
    /// Everything before `applied`, none of which is pending any more.
    private var base: SimulatedDiskState
    private var applied = 0

    package init(_ disk: SimulatedDisk) {
        self.init(disk, asking: disk.operations)
    }

    /// The states of a disk that had been asked for these operations instead. They speak of the
    /// disk's own files and directories by number, so its start must be the disk's, not an image's.
    package init(_ disk: SimulatedDisk, asking operations: [DiskOperation]) {
        self.operations = operations
        base = disk.state.withLock { $0.atStart }
    }

    package func point(at position: Int) -> CrashPoint {
        CrashPoint(
            position: position, pending: SimulatedDisk.pending(operations, before: position))
    }

    /// Makes ready for a point at or behind the one before.
    package mutating func advance(to point: CrashPoint) {
        let firstPending = point.pending.first ?? point.position
        while applied < firstPending {
            if operations[applied].isChange { base.apply(operations[applied]) }
            applied += 1
        }
    }

    /// What is left when the pending changes of the point met these fates. `advance` came before.
    package func image(at point: CrashPoint, _ survivals: [Survival]) -> DiskImage {
        precondition(applied <= (point.pending.first ?? point.position), "points only move forward")
        var disk = base
        var next = 0
        for index in applied..<point.position {
            var fate = Survival.whole
            if next < point.pending.count, point.pending[next] == index {
                fate = survivals[next]
                next += 1
            }
            if fate != .absent, operations[index].isChange { disk.apply(operations[index], fate) }
        }
        return disk.image
    }
}

extension DiskImage {
    /// 128 bits that tell this image from any other: two independent mixes of names and bytes.
    package var fingerprint: Fingerprint {
        var mixer = Fingerprint.Mixer()
        for name in files.keys.sorted() {
            mixer.add(Array(name.utf8))
            mixer.add(files[name, default: []])
        }
        return mixer.fingerprint
    }
}

/// A hash that is wide enough for hundreds of millions of images never to collide by chance.
package struct Fingerprint: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    struct Mixer {
        private var first: UInt64 = 0x243F_6A88_85A3_08D3
        private var second: UInt64 = 0x1319_8A2E_0370_7344

        mutating func add(_ bytes: [UInt8]) {
            add(UInt64(bytes.count))
            bytes.withUnsafeBytes { buffer in
                var position = 0
                while position + 8 <= buffer.count {
                    add(buffer.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                    position += 8
                }
                var rest: UInt64 = 0
                while position < buffer.count {
                    rest = rest << 8 | UInt64(buffer[position])
                    position += 1
                }
                add(rest)
            }
        }

        mutating func add(_ word: UInt64) {
            first = Self.mix(first ^ word, 0x9E37_79B9_7F4A_7C15)
            second = Self.mix(second &+ word, 0xD6E8_FEB8_6659_FD93)
        }

        /// Both halves of the product count, so that no bit of the input is lost.
        private static func mix(_ value: UInt64, _ factor: UInt64) -> UInt64 {
            let product = (value ^ factor).multipliedFullWidth(by: factor | 1)
            return product.high ^ product.low &+ factor
        }

        var fingerprint: Fingerprint { Fingerprint(high: first, low: second) }
    }
}
