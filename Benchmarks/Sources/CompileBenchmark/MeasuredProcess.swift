import Foundation

/// What a process used, with all its children.
struct MeasuredProcess {
    let processorSeconds: Double
    let peakBytes: Int

    /// Runs a command to its end.
    ///
    /// - Parameter messages: the file that takes its output and errors.
    /// - Throws: ``Failure`` with what it said where it fails. Foundation's `Process` does not report what a
    ///   process used.
    static func run(_ command: [String], messages: URL) throws -> MeasuredProcess {
        let child = try spawn(command, messages: messages)
        var status: Int32 = 0
        var usage = rusage()
        while wait4(child, &status, 0, &usage) == -1 {
            guard errno == EINTR else { throw Failure(description: "\(command[0]) is not ours") }
        }
        guard status == 0 else {
            let text = String(decoding: try Data(contentsOf: messages), as: UTF8.self)
            throw Failure(
                description: "failed: \(command.joined(separator: " "))\n\(text.suffix(4_000))")
        }
        #if canImport(Darwin)
            let unit = 1
        #else
            let unit = 1_024
        #endif
        return MeasuredProcess(
            processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            peakBytes: Int(usage.ru_maxrss) * unit)
    }

    private static func spawn(_ command: [String], messages: URL) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(
            &actions, 1, messages.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var arguments = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var child: pid_t = 0
        let code = posix_spawnp(&child, command[0], &actions, nil, &arguments, environ)
        guard code == 0 else {
            throw Failure(description: "\(command[0]): \(String(cString: strerror(code)))")
        }
        return child
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
