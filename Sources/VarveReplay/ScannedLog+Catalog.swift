package import VarveEvents
package import VarveLog
internal import VarveTables

extension ScannedLog {
    /// Every definition that the log has; nil where what it holds is not understood. Replays the log.
    package func catalog() throws(LogError) -> Catalog? {
        do throws(ReplayFailure<RecordError>) {
            return try LoggedState(self).state.catalog
        } catch {
            switch error {
            case .log(let error): throw error
            case .consumer: return nil
            }
        }
    }
}
