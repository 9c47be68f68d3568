public import Foundation
internal import VarveText

/// Why a query cannot be understood, and where in its text.
public struct QueryError: Error, Hashable, Sendable {
    /// What is wrong with the text of a query.
    public enum Problem: Hashable, Sendable {
        /// A character that begins nothing.
        case unexpectedCharacter(Character)
        /// A sign of other languages, and the word that this one has for it.
        case foreignSign(String, word: String)
        /// A clause in front of the type, which comes first.
        case clauseBeforeType(String)
        /// A text without a closing quotation mark.
        case textNotEnded
        /// Digits that are no number.
        case invalidNumber(String)
        /// Something else is needed at this place.
        case expected(String, found: String)
        /// A clause that is there already.
        case clauseTwice(String)
        /// A column whose title another column has: it would be no key of its own.
        case columnTwice(String)
        /// More parentheses inside one another than are allowed.
        case nestedTooDeep(limit: Int)
        /// The store has no type of that name; the names that it has.
        case noSuchType(String, known: [String])
        /// The type has no property or relation of that name; the names that it has.
        case noSuchProperty(String, type: String, known: [String])
        /// The type has no property of that name, which is beside a text and may be one without quotation marks; the
        /// names that it has.
        case noSuchPropertyBesideText(String, type: String, known: [String])
        /// A value without members was asked for one.
        case noMembers(String, kind: String)
        /// A relation to many was used as one value.
        case leadsToMany(String)
        /// `any`, `all` or `count` of something that is no relation to many.
        case notARelation(String)
        /// Two kinds of values that have no order or equality together.
        case notComparable(String, String)
        /// A value where a condition is needed.
        case notACondition(String)
        /// A text that is compared with a date and is none.
        case notADate(String)
        /// An aggregate inside of a condition or of another aggregate.
        case misplacedAggregate(String)
        /// A sum or an average of something that is no number.
        case notANumber(String, aggregate: String)
        /// A property that is neither grouped by nor inside of an aggregate.
        case notGrouped(String)
    }

    /// What is wrong.
    public let problem: Problem
    /// The characters of the text that it is about, from 0.
    public let place: Range<Int>
}

extension QueryError: CustomStringConvertible {
    /// One sentence about the problem, without the place.
    public var description: String { message.text }

    fileprivate var message: ErrorMessage {
        switch problem {
        case .unexpectedCharacter(let character): ErrorMessage("'\(character)' begins nothing")
        case .foreignSign(let sign, let word):
            ErrorMessage("'\(sign)' begins nothing", "write '\(word)'")
        case .clauseBeforeType(let clause):
            ErrorMessage(
                "a query begins with a type, not with '\(clause)'",
                "write the type in front, as in Chat where … select id")
        case .textNotEnded: ErrorMessage("the text has no closing quotation mark")
        case .invalidNumber(let text): ErrorMessage("'\(text)' is not a number")
        case .expected(let expected, let found):
            ErrorMessage("expected \(expected), found \(found)")
        case .clauseTwice(let clause): ErrorMessage("'\(clause)' is there twice")
        case .columnTwice(let title):
            ErrorMessage(
                "there is a column '\(title)' already",
                "leave one out, or name it with 'as'")
        case .nestedTooDeep(let limit): ErrorMessage("nested deeper than \(limit)")
        case .noSuchType(let name, let known):
            ErrorMessage(
                "there is no type '\(name)'",
                known.isEmpty ? "the store has none" : "there is " + known.joined(separator: ", "))
        case .noSuchProperty(let name, let type, let known):
            ErrorMessage(
                "'\(type)' has no '\(name)'", "it has " + known.joined(separator: ", "))
        case .noSuchPropertyBesideText(let name, let type, let known):
            ErrorMessage(
                "'\(type)' has no '\(name)'",
                "a text needs quotation marks: \"\(name)\"; it has "
                    + known.joined(separator: ", "))
        case .noMembers(let name, let kind): ErrorMessage("\(kind) has no member '\(name)'")
        case .leadsToMany(let name):
            ErrorMessage(
                "'\(name)' leads to many: use any(\(name), …), all(\(name), …) or count(\(name))")
        case .notARelation(let name): ErrorMessage("'\(name)' is not a relation")
        case .notComparable(let first, let second):
            ErrorMessage("\(first) cannot be compared with \(second)")
        case .notACondition(let kind):
            ErrorMessage("\(kind) is not a condition", "compare it with something")
        case .notADate(let text):
            ErrorMessage(
                "'\(text)' is not a date", "write it as 2026-08-03 or 2026-08-03T14:05:22Z")
        case .misplacedAggregate(let aggregate):
            ErrorMessage(
                "\(aggregate)() is known of a group alone: it goes behind 'select', or behind "
                    + "'order by' where something is grouped or selected so")
        case .notANumber(let kind, let aggregate):
            ErrorMessage("\(aggregate)() takes numbers, not \(kind)", "count() counts rows")
        case .notGrouped(let name):
            ErrorMessage(
                "'\(name)' differs within a group: name it behind 'group by', or take its sum, least, "
                    + "most or average")
        }
    }
}

extension QueryError: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}

/// Why a query has no result.
public enum QueryFailure: Error, Sendable {
    /// The text of the query is wrong.
    case query(QueryError)
    /// The store cannot be read.
    case inspection(InspectionError)
}

extension QueryFailure: CustomStringConvertible {
    /// What the error inside says.
    public var description: String { message.text }

    private var message: ErrorMessage {
        switch self {
        case .query(let error): error.message
        case .inspection(let error): error.message
        }
    }
}

extension QueryFailure: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}
