import VarveInspection

/// How old something is, for people.
enum AgeText {
    static func name(_ age: AgeStatistics.Class) -> String {
        switch age {
        case .day: "less than a day ago"
        case .week: "less than a week ago"
        case .month: "less than 30 days ago"
        case .quarter: "less than 3 months ago"
        case .year: "less than a year ago"
        case .older: "more than a year ago"
        }
    }
}
