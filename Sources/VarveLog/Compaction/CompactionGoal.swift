/// What a compaction is to be good at, besides being safe while it runs.
public enum CompactionGoal: Hashable, Sendable {
    /// To survive damage: the checkpoint before the new one stays, with the log from there, until the
    /// next compaction. Opening falls back to it where the new one cannot be read.
    case safety
    /// To take little space: nothing stays but the new checkpoint and the history that is kept. The
    /// checkpoint has a form that is about a sixth smaller, and that is read as a whole.
    /// Damage to that one file is loss of what it holds, so keep a backup.
    case size
}
