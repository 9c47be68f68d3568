import VarveLog
import VarveTestSupport

/// All named mutants.
enum MutantCatalogue {
    static let all = names + rolls + commits + recoveries + compactions + writers + systems

    private static let creating: [[LogStep]] = [[.commit], [.commit, .roll, .commit]]
    private static let rolling: [[LogStep]] = [
        [.commit, .append, .roll, .commit], [.roll, .roll],
    ]
    private static let compacting: [[LogStep]] = [
        [.roll, .compact, .append, .compact, .commit],
        [.roll, .roll, .compactKeeping, .roll, .compact, .commit],
    ]

    // MARK: Files and their names

    private static let names = [
        unsynced("a segment's header is not synced before it is named", .segment, creating),
        unsynced("a manifest is not synced before it is named", .manifest, creating),
        unsynced("a checkpoint is not synced before it is named", .checkpoint, compacting),
        unnamed("the directory is not synced after a segment is named", creating) {
            $0.kind == .segment
        },
        unnamed("the directory is not synced after the first manifest is named", creating) {
            $0.kind == .manifest && $0.number == 1
        },
        unnamed("the directory is not synced after a later manifest is named", compacting) {
            $0.kind == .manifest && $0.number > 1
        },
        unnamed("the directory is not synced after a checkpoint is named", compacting) {
            $0.kind == .checkpoint
        },
        early("a segment is named before it is written", .segment, creating),
        early("a manifest is named before it is written", .manifest, creating),
        early("the directory is synced before a manifest is named", .manifest, creating) {
            $0.isDirectorySync
        },
        early("the directory is synced before a segment is named", .segment, rolling) {
            $0.isDirectorySync
        },
    ]

    private static func unsynced(
        _ name: String, _ kind: NamedOperation.FileKind, _ workloads: [[LogStep]]
    ) -> Mutant {
        Mutant(
            name, workloads,
            .disk { log in
                log.without { log[$0].isSync && log[$0].isTemporary && log[$0].kind == kind }
            })
    }

    private static func unnamed(
        _ name: String, _ workloads: [[LogStep]],
        _ isMeant: @escaping @Sendable (NamedOperation) -> Bool
    ) -> Mutant {
        Mutant(
            name, workloads,
            .disk { log in
                log.without { index in
                    guard log[index].isDirectorySync, log[index].name.isEmpty,
                        let rename = log.previous(
                            before: index, where: { $0.isRename || $0.isDirectorySync })
                    else { return false }
                    return log[rename].isRename && isMeant(log[rename])
                }
            })
    }

    /// Renames come right after the file was created, and with them what `joins` says; or, the
    /// other way round, what joins comes before the rename.
    private static func early(
        _ name: String, _ kind: NamedOperation.FileKind, _ workloads: [[LogStep]],
        onlySwapping isSwapped: (@Sendable (NamedOperation) -> Bool)? = nil
    ) -> Mutant {
        Mutant(
            name, workloads,
            .disk { log in
                var result = log
                for index in log.indices where log[index].isRename && log[index].kind == kind {
                    if let isSwapped {
                        guard index + 1 < result.count, isSwapped(result[index + 1]) else {
                            continue
                        }
                        result.swapAt(index, index + 1)
                    } else if let link = result.previous(before: index, where: { $0.isLink }),
                        index + 1 < result.count, result[index + 1].isDirectorySync
                    {
                        result = result.moving([index, index + 1], to: link + 1)
                    }
                }
                return result.operations
            })
    }

    // MARK: Rolls

    private static let rolls = [
        Mutant(
            "a segment is not synced before its footer", rolling,
            .disk { log in
                log.without { index in
                    guard log[index].isFrameSync,
                        let write = log.next(
                            after: index,
                            where: { $0.isWrite && $0.name == log[index].name })
                    else { return false }
                    return log[write].isFooter
                }
            }),
        Mutant(
            "a footer is not synced before the next segment is filled", rolling,
            .disk { log in
                log.without { index in
                    guard log[index].isFrameSync,
                        let write = log.previous(
                            before: index,
                            where: { $0.isWrite && $0.name == log[index].name })
                    else { return false }
                    return log[write].isFooter
                }
            }),
        Mutant(
            "a footer is written before the next segment is there", rolling,
            .disk { log in
                var result = log
                for footer in log.indices where log[footer].isFooter {
                    guard
                        let link = result.previous(
                            before: footer, where: { $0.isLink && $0.kind == .segment }),
                        footer + 1 < result.count, result[footer + 1].isFrameSync
                    else { continue }
                    result = result.moving([footer, footer + 1], to: link)
                }
                return result.operations
            }),
        Mutant(
            "the next segment is filled before the footer is written", rolling,
            .disk { log in
                var result = log
                for footer in log.indices where log[footer].isFooter {
                    guard
                        let write = result.next(
                            after: footer,
                            where: { $0.frame != nil && $0.number > log[footer].number }),
                        footer + 1 < write
                    else { continue }
                    result = result.moving([footer, footer + 1], to: write)
                }
                return result.operations
            }),
    ]

    // MARK: Commits

    private static let committing: [[LogStep]] = [[.commit, .commit, .append, .commit]]

    private static let commits = [
        Mutant(
            "frames are never synced", committing,
            .disk { log in log.without { log[$0].isFrameSync } }),
        Mutant(
            "every second sync of frames is left out", committing,
            .disk { log in
                let syncs = log.indices.filter { log[$0].isFrameSync }
                let left = Set(syncs.indices.filter { $0 % 2 == 1 }.map { syncs[$0] })
                return log.without { left.contains($0) }
            }),
        Mutant(
            "the first sync of a segment is left out", committing,
            .disk { log in
                var seen: Set<String> = []
                return log.without { log[$0].isFrameSync && seen.insert(log[$0].name).inserted }
            }),
        Mutant(
            "a sync comes one write late", committing,
            .disk { log in
                var result = log
                for index in log.indices.reversed() where log[index].isFrameSync {
                    if let write = result.next(after: index, where: { $0.isWrite }) {
                        result = result.moving([index], to: write)
                    }
                }
                return result.operations
            }),
        Mutant(
            "a commit syncs the segment before", [[.roll, .commit, .commit]],
            .disk { log in
                var first: DiskOperation?
                return log.map { named in
                    guard named.isFrameSync else { return named.operation }
                    first = first ?? named.operation
                    return first ?? named.operation
                }
            }),
        Mutant(
            "a commit syncs the directory instead of the file", committing,
            .disk { log in
                let directory = log.first { $0.isDirectorySync }?.operation ?? .nothing
                return log.map { $0.isFrameSync ? directory : $0.operation }
            }),
        Mutant(
            "frames are not synced before a clean seal", [[.append, .append, .reopen]],
            .disk { log in
                log.without { index in
                    log[index].isFrameSync && index + 1 < log.count && log[index + 1].isCleanSeal
                }
            }),
    ]

    // MARK: Recoveries

    private static let failing: [[LogStep]] = [
        [.commit, .append, .failedSync, .commit], [.append, .failedSync, .append, .commit],
    ]
    /// The refused transaction's first frame is as long as the one that takes its place.
    private static let refusing: [[LogStep]] = [
        [.commit, .commit, .commit, .failedAppend, .append, .commit]
    ]

    private static let recoveries = [
        Mutant(
            "a cut is not synced before its place is written again", refusing,
            .disk { log in
                log.without { index in
                    index > 0 && log[index].isFrameSync && log[index - 1].isTruncation
                }
            }),
        Mutant(
            "a failed append is not cut back", refusing,
            .disk { log in log.without { log[$0].isTruncation && log[$0].kind == .segment } }),
        Mutant(
            "what a failed sync forgot is not written again", failing,
            .disk { log in
                log.without { log[$0].isRewriting && log[$0].kind == .segment }
            }),
        Mutant(
            "what is written again is not synced", failing,
            .disk { log in
                log.without { index in
                    index > 0 && log[index].isFrameSync && log[index - 1].isRewriting
                }
            }),
        Mutant(
            "a forgotten clean seal is not written again",
            [[.commit, .failedClose, .commit, .commit]],
            .disk { log in log.without { log[$0].isRewriting && log[$0].isCleanSeal } }),
        Mutant(
            "the copy of a cut tail is not synced", [[.append, .append, .append]],
            .disk { log in log.without { log[$0].isSync && log[$0].kind == .lost } }),
        Mutant(
            "the directory of cut tails is not synced", [[.append, .append, .append]],
            .disk { log in log.without { log[$0].isDirectorySync && log[$0].kind == .lost } }),
        Mutant(
            "a tail is cut before it is kept", [[.append, .append, .append]],
            .disk { log in
                var result = log
                for index in log.indices.reversed()
                where log[index].isTruncation && log[index].kind == .segment {
                    if let link = result.previous(
                        before: index, where: { $0.isLink && $0.kind == .lost })
                    {
                        let sync = result.next(after: index, where: { $0.isFrameSync })
                        result = result.moving([index] + (sync.map { [$0] } ?? []), to: link)
                    }
                }
                return result.operations
            }),
    ]

    // MARK: Compactions

    private static let compactions = [
        removedEarly("segments are removed before the manifest is named", .segment),
        removedEarly("checkpoints are removed before the manifest is named", .checkpoint),
        removedEarly("older manifests are removed before the next is named", .manifest),
        Mutant(
            "a checkpoint is named after the manifest that names it", compacting,
            .disk { log in
                var result = log
                for index in log.indices.reversed()
                where log[index].isRename && log[index].kind == .checkpoint {
                    if let manifest = result.next(
                        after: index, where: { $0.isRename && $0.kind == .manifest }),
                        manifest + 1 < result.count
                    {
                        result = result.moving([index, index + 1], to: manifest + 1)
                    }
                }
                return result.operations
            }),
        Mutant(
            "an interrupted compaction's manifest is not written once more", by: .compound,
            [[.roll, .compact, .append, .commit]],
            .disk { log in
                var there: Set<String> = []
                var isLeftOut = false
                return log.without { index in
                    let named = log[index]
                    // With the rename its sync.
                    if named.isDirectorySync {
                        defer { isLeftOut = false }
                        return isLeftOut
                    }
                    guard named.kind == .manifest else { return false }
                    // Of a manifest that has its name already.
                    let final = named.name.replacing(".tmp", with: "")
                    guard named.isRename else { return named.isTemporary && there.contains(final) }
                    isLeftOut = !there.insert(final).inserted
                    return isLeftOut
                }
            }),
    ]

    private static func removedEarly(
        _ name: String, _ kind: NamedOperation.FileKind
    ) -> Mutant {
        Mutant(
            name, compacting,
            .disk { log in
                var result = log
                for rename in log.indices
                where log[rename].isRename && log[rename].kind == .manifest
                    && log[rename].number > 1
                {
                    let removals = log.indices.filter {
                        $0 > rename && $0 < rename + 12 && log[$0].isRemoval
                            && !log[$0].isTemporary && log[$0].kind == kind
                    }
                    if let first = removals.first, first > rename {
                        result = result.moving(removals, to: rename)
                    }
                }
                return result.operations
            })
    }

    // MARK: Writers and systems

    private static let writers = [
        writer(.acknowledgesUnsynced, committing),
        writer(.acknowledgesEverySecond, committing),
        writer(.acknowledgesAppends, committing),
        writer(.promisesUnsynced, [[.append, .append, .append]]),
        writer(.retriesFailedSync, failing),
        writer(.acknowledgesRefused, refusing),
        Mutant(
            WriterFault.promisesNothing.rawValue, by: .corruption,
            [[.commit, .commit, .commit]], .writer(.promisesNothing)),
        Mutant(
            "the end is not sealed", by: .corruption, [[.commit, .commit, .reopen]],
            .disk { log in log.without { log[$0].isCleanSeal } }),
        Mutant(
            "segments do not get their footers", by: .corruption, [[.roll, .commit, .reopen]],
            .disk { log in log.without { log[$0].isFooter } }),
    ]

    private static func writer(_ fault: WriterFault, _ workloads: [[LogStep]]) -> Mutant {
        Mutant(fault.rawValue, workloads, .writer(fault))
    }

    private static let systems = [
        Mutant(
            "locks exclude nobody", by: .lock, [[.commit]], .fileSystem(.locksExcludeNobody)),
        Mutant(
            "followers take every writer for dead", by: .follower,
            [[.append, .follow, .append, .follow]], .fileSystem(.nobodyHoldsLocks)),
        Mutant(
            "short writes are taken for whole ones", by: .run, [[.roll, .commit, .reopen]],
            .fileSystem(.shortWritesCountAsWhole)),
        Mutant(
            "short reads are taken for whole ones", by: .run, [[.roll, .commit, .reopen]],
            .fileSystem(.shortReadsCountAsWhole)),
    ]
}
