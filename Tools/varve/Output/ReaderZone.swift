import Foundation
import VarveInspection

/// The time zone of the person who reads: how far it is from UTC at each moment.
package struct ReaderZone: Sendable {
    /// Seconds east of UTC at a number of seconds since 1970; nil in UTC itself.
    private let offset: @Sendable (Int64) -> Int64?

    package init(offset: @escaping @Sendable (Int64) -> Int64?) { self.offset = offset }

    package static let utc = ReaderZone { _ in nil }

    /// The zone of this process: what `TZ` says, or what the machine is set to.
    static func system() -> ReaderZone {
        tzset()
        return ReaderZone { seconds in
            var time = time_t(seconds)
            var parts = tm()
            guard localtime_r(&time, &parts) != nil else { return nil }
            let isUTC = parts.tm_zone.map { String(cString: $0) == "UTC" } ?? true
            return isUTC ? nil : Int64(parts.tm_gmtoff)
        }
    }

    /// To the second: `2026-08-03T16:05:22+02:00`, in UTC `2026-08-03T14:05:22Z`.
    func seconds(_ moment: Moment) -> String {
        text(moment) { $0.iso8601Seconds }
    }

    /// With six digits behind the second: `2026-08-03T16:05:22.123456+02:00`.
    func exactly(_ moment: Moment) -> String {
        text(moment) { $0.iso8601 }
    }

    /// What a clock of the zone shows, and how far the zone is from UTC: `2026-08-03 16:05:22` and `+02:00`, or `UTC`.
    func clock(_ moment: Moment) -> (time: String, offset: String) {
        let text = seconds(moment).replacing("T", with: " ")
        guard !text.hasSuffix("Z") else { return (String(text.dropLast()), "UTC") }
        return (String(text.dropLast(6)), String(text.suffix(6)))
    }

    private func text(_ moment: Moment, _ form: (Moment) -> String) -> String {
        guard let minutes = offset(moment.wholeSeconds).map({ $0 / 60 }) else {
            return form(moment)
        }
        let (local, overflow) = moment.microseconds.addingReportingOverflow(minutes * 60_000_000)
        guard !overflow else { return form(moment) }
        let digits = { (number: Int64) in (number < 10 ? "0" : "") + String(number) }
        let (hours, rest) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        return form(Moment(microseconds: local)).dropLast() + (minutes < 0 ? "-" : "+")
            + digits(hours) + ":" + digits(rest)
    }

    /// The moment at which clocks of the zone show what `clock` shows in UTC. Of two, the earlier one; where they skip
    /// it, as far behind the skip as it was meant to be.
    func moment(ofClock clock: Moment) -> Moment {
        let day: Int64 = 86_400
        let around = [clock.wholeSeconds - day, clock.wholeSeconds + day].map { offset($0) ?? 0 }
        let candidates = around.map { offset in
            (
                moment: Moment(microseconds: clock.microseconds - offset * 1_000_000),
                offset: offset
            )
        }
        let right = candidates.filter { offset($0.moment.wholeSeconds) ?? 0 == $0.offset }
        return right.map(\.moment).min() ?? candidates[0].moment
    }
}

extension Moment {
    /// Seconds since 1970, rounded down.
    fileprivate var wholeSeconds: Int64 {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return rest < 0 ? seconds - 1 : seconds
    }
}
