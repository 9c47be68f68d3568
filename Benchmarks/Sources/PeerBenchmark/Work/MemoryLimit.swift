import Foundation

/// How much memory a process may have, with what the system caches of files for it.
///
/// A control group of Linux where this process may make one, of either version; else a limit of the process's own
/// data, which files do not count against.
struct MemoryLimit {
    let bytes: Int

    private enum Kind {
        case group2, group1

        var root: String {
            switch self {
            case .group2: "/sys/fs/cgroup"
            case .group1: "/sys/fs/cgroup/memory"
            }
        }

        var limitFile: String {
            switch self {
            case .group2: "memory.max"
            case .group1: "memory.limit_in_bytes"
            }
        }

        static var present: Kind? {
            if FileManager.default.fileExists(atPath: "/sys/fs/cgroup/cgroup.controllers") {
                return .group2
            }
            return FileManager.default.fileExists(atPath: Kind.group1.root) ? .group1 : nil
        }

        func directory(of process: Int32) -> URL {
            URL(filePath: root).appending(path: "varve-benchmark-\(process)")
        }
    }

    /// Limits this process. Returns what a reader of the figures has to know, where that is no control group.
    func apply() -> String? {
        if let kind = Kind.present, (try? join(kind)) != nil { return nil }
        var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
        guard limitData(&limit) else {
            return "the memory was not limited: this process may make no control group"
        }
        return "only the process's own data was limited: this process may make no control group"
    }

    private func limitData(_ limit: inout rlimit) -> Bool {
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0
        #else
            setrlimit(RLIMIT_DATA, &limit) == 0
        #endif
    }

    private func join(_ kind: Kind) throws {
        let directory = kind.directory(of: getpid())
        // Of a process of this number whose parent was killed.
        rmdir(directory.path)
        if kind == .group2 {
            // Refused where it is enabled already and others are in the root.
            try? write("+memory", to: URL(filePath: kind.root), "cgroup.subtree_control")
        }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        try write("\(bytes)", to: directory, kind.limitFile)
        // Without swap there is none to limit.
        switch kind {
        case .group2: try? write("0", to: directory, "memory.swap.max")
        case .group1: try? write("\(bytes)", to: directory, "memory.memsw.limit_in_bytes")
        }
        try write("\(getpid())", to: directory, "cgroup.procs")
    }

    private func write(_ text: String, to directory: URL, _ name: String) throws {
        let file = try FileHandle(forWritingTo: directory.appending(path: name))
        defer { try? file.close() }
        try file.write(contentsOf: Data(text.utf8))
    }

    /// Removes the group of a process that has ended.
    static func end(of process: Int32) {
        guard let kind = Kind.present else { return }
        // There is none where the process could not make one.
        rmdir(kind.directory(of: process).path)
    }

    /// Lets the system forget what it has cached of files, or the next process would find it there and not be charged
    /// for it. Returns whether it may.
    static func dropCaches() -> Bool {
        sync()
        return (try? Data("3".utf8).write(to: URL(filePath: "/proc/sys/vm/drop_caches"))) != nil
    }
}
