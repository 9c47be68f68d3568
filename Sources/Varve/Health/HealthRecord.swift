internal import Foundation
internal import VarveLog

/// Collects what the parts of a store find of damage, from any thread.
final class HealthRecord: Sendable {
    private static let damagesMax = 256

    private let state = Lock(StoreHealth())
    private let foundLate = Lock<(@Sendable (LogError) -> Void)?>(nil)

    var health: StoreHealth { state.withLock { $0 } }

    /// Notes what an error says of a file. An error that speaks of none is not noted.
    func note(_ error: LogError, _ repair: StoreHealth.Repair = .none) {
        guard let file = error.damagedFile else { return }
        note(
            StoreHealth.Damage(
                file: file.name, offset: file.offset, reason: error.damage, repair: repair))
    }

    /// Hands on what a table met that was filled behind the opening, and what was made again of other files.
    func noticeLate(_ error: LogError) { foundLate.withLock({ $0 })?(error) }

    /// Calls `body` with what is noticed late. It is called by whatever reads, which may hold any lock of the store.
    func whenNoticedLate(_ body: @escaping @Sendable (LogError) -> Void) {
        foundLate.withLock { $0 = body }
    }

    /// Notes which checkpoints an opening could not use, and what it began with in their place.
    func note(_ report: RecoveryReport, startingFrom checkpoint: CheckpointReference?) {
        for problem in report.checkpointProblems {
            note(
                StoreHealth.Damage(
                    file: problem.file, offset: problem.offset, reason: problem.reason,
                    repair: .rebuilt(from: checkpoint?.file.text)))
        }
    }

    private func note(_ damage: StoreHealth.Damage) {
        state.withLock { health in
            let known = health.damages.firstIndex {
                $0.file == damage.file && $0.offset == damage.offset && $0.reason == damage.reason
            }
            if let known {
                // The first note says what was done; a later one may only say what a compaction would begin with.
                if health.damages[known].repair == .none {
                    health.damages[known].repair = damage.repair
                }
                return
            }
            if health.damages.count == Self.damagesMax {
                // What was replaced says least about the files that are there.
                let place = health.damages.firstIndex { $0.repair == .replaced } ?? 0
                health.damages.remove(at: place)
            }
            health.damages.append(damage)
        }
    }

    /// Marks damage to all files but those that hold the store's content now.
    func noteReplacement(of isNeeded: (_ file: String) -> Bool) {
        state.withLock { health in
            for position in health.damages.indices where !isNeeded(health.damages[position].file) {
                health.damages[position].repair = .replaced
            }
        }
    }

    func noteCheck(at date: Date) { state.withLock { $0.lastCheck = date } }
}

extension LogError {
    /// What is wrong with the file that the error speaks of, without its name.
    fileprivate var damage: String {
        if case .checkpointDamaged(_, _, let reason) = self { reason } else { place }
    }
}
