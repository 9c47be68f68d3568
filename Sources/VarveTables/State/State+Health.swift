/// Why reading a state failed.
package enum StateReadError<Failure: Error>: Error {
    /// Pages of the image under the state cannot be read.
    case damaged(PageDamage)
    /// What the caller reads with failed.
    case failed(Failure)
}

extension State {
    /// What is known of damage under the state; nil where it was not opened from an image.
    package var health: PageHealth? { store.cold?.health }

    /// Runs what reads the state.
    ///
    /// Reads do not throw where pages cannot be read: they return less, or nothing. This function throws then, so
    /// that no such result is used. All reads of a state that was opened from an image must go through it.
    package func reading<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(StateReadError<Failure>) -> Result {
        if let damage { throw .damaged(damage) }
        let meetingCount = health?.meetingCount ?? 0
        let result: Swift.Result<Result, Failure>
        do throws(Failure) {
            result = .success(try body())
        } catch {
            result = .failure(error)
        }
        do throws(PageDamage) {
            try health?.check(since: meetingCount)
        } catch {
            throw .damaged(error)
        }
        switch result {
        case .success(let value): return value
        case .failure(let error): throw .failed(error)
        }
    }
}
