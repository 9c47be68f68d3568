import Foundation
import Testing
import VarveInspection

@testable import VarveTool

@Suite("Times in the zone of the reader")
struct ReaderZoneTests {
    /// A zone by the tables of the system.
    private func zone(_ name: String) throws -> ReaderZone {
        let zone = try #require(TimeZone(identifier: name), "no time zone \(name) here")
        return ReaderZone { seconds in
            Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
        }
    }

    private func moment(_ text: String) throws -> Moment {
        try #require(Moment(iso8601: text))
    }

    @Test(
        "A time is shown with the offset that holds at that moment",
        arguments: [
            ("Europe/Berlin", "2026-01-15T12:00:00Z", "2026-01-15T13:00:00+01:00"),
            ("Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-29T01:59:59+01:00"),
            ("Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00"),
            ("Europe/Berlin", "2026-10-25T00:59:59Z", "2026-10-25T02:59:59+02:00"),
            ("Europe/Berlin", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00+01:00"),
            ("America/St_Johns", "2026-01-15T12:00:00Z", "2026-01-15T08:30:00-03:30"),
            ("Asia/Kathmandu", "2026-12-31T20:00:00Z", "2027-01-01T01:45:00+05:45"),
            ("Europe/London", "2026-01-15T12:00:00Z", "2026-01-15T12:00:00+00:00"),
        ])
    func showing(_ name: String, _ utc: String, _ local: String) throws {
        let zone = try zone(name)
        #expect(zone.seconds(try moment(utc)) == local)
        #expect(ReaderZone.utc.seconds(try moment(utc)) == utc)
        let exact = Moment(microseconds: try moment(utc).microseconds + 123_456)
        let (clock, offset) = (local.dropLast(6), local.suffix(6))
        #expect(zone.exactly(exact) == clock + ".123456" + offset)
        // What is shown can be given back.
        #expect(try moment(local) == moment(utc))
    }

    @Test(
        "A date without an offset is meant in the zone; of two moments it is the first",
        arguments: [
            ("2026-08-03", "2026-08-02T22:00:00Z"),
            ("2026-01-15T13:00", "2026-01-15T12:00:00Z"),
            ("2026-01-15T13:00Z", "2026-01-15T13:00:00Z"),
            ("2026-01-15T13:00-05:00", "2026-01-15T18:00:00Z"),
            // Clocks skip from 02:00 to 03:00.
            ("2026-03-29T01:59:59", "2026-03-29T00:59:59Z"),
            ("2026-03-29T02:30", "2026-03-29T01:30:00Z"),
            ("2026-03-29T03:00", "2026-03-29T01:00:00Z"),
            // Clocks show the hour from 02:00 twice.
            ("2026-10-25T02:30", "2026-10-25T00:30:00Z"),
            ("2026-10-25T03:00", "2026-10-25T02:00:00Z"),
        ])
    func parsing(_ text: String, _ utc: String) throws {
        let argument = BoundArgument(
            now: Moment(microseconds: 0), zone: try zone("Europe/Berlin"))
        #expect(argument.parse(text) == .moment(try moment(utc)))
    }

    @Test("Times that no clock shows are shown in UTC, and none traps")
    func extremes() {
        let zone = ReaderZone { _ in 14 * 3_600 }
        let west = ReaderZone { _ in -12 * 3_600 }
        for microseconds in [Int64.min, .min + 1, -1, 0, .max - 1, .max] {
            let moment = Moment(microseconds: microseconds)
            for zone in [zone, west, .system(), .utc] {
                #expect(!zone.seconds(moment).isEmpty && !zone.exactly(moment).isEmpty)
            }
        }
    }

    @Test("Commands show the zone unless --utc is given, and JSON is always in UTC")
    func commands() throws {
        let store = try SampleStore.filled()
        func run(_ arguments: String...) throws -> String {
            let output = MemorySink()
            let environment = ToolEnvironment(
                output: output, errors: MemorySink(), now: ToolRun.now,
                zone: try zone("Europe/Berlin"))
            #expect(Tool.run(arguments + [store.path], in: environment) == .success)
            return output.text
        }
        for command in ["log", "info", "follow"] {
            #expect(try run(command).contains("2026-08-03T16:0"))
            #expect(try run(command).contains("+02:00"))
            #expect(try run(command, "--utc").contains("2026-08-03T14:0"))
            #expect(try !run(command, "--utc").contains("+02:00"))
            #expect(try run(command, "--json").contains("2026-08-03T14:0"))
            #expect(try !run(command, "--json").contains("+02:00"))
        }
        // Both bounds lie between the first and the last transaction, each in its own zone.
        let local = try run("log", "--json", "--after=2026-08-03T16:05:30")
        let utc = try run("log", "--json", "--utc", "--after=2026-08-03T14:05:30")
        let all = try run("log", "--json")
        #expect(local == utc && !local.isEmpty && local != all)
    }

    @Test("The process takes its zone from TZ")
    func process() throws {
        let store = try SampleStore.filled()
        for (zone, expected) in [
            ("Europe/Berlin", "2026-08-03T16:01:00+02:00"), ("UTC", "2026-08-03T14:01:00Z"),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-08-03T10:01:00-04:00"),
        ] {
            let process = try ToolProcess(
                ["log", "--limit=1", "--reverse", store.path], ["TZ": zone])
            #expect(process.output.contains(expected), "\(zone): \(process.output)")
        }
    }
}
