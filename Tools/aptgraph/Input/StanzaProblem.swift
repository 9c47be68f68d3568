/// Why one stanza was skipped. The stanzas after it are read as if it were not there.
package struct StanzaProblem: Error, Hashable, Sendable {
    /// Line of the fault, counted from 1; the stanza's first line where the fault is an absence.
    package var line: Int
    package var reason: Reason

    package init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    package enum Reason: Hashable, Sendable {
        /// A stanza without a field that every package has.
        case missingField(String)
        case emptyField(String)
        case duplicateField(String)
        /// A line that neither continues a field nor names one.
        case lineWithoutColon
        /// A colon with no field name before it.
        case lineWithoutName
        case continuationWithoutField
        /// A field that must stand on one line has more.
        case fieldSpansLines(String)
        case invalidUTF8(String)
        case notANumber(field: String, text: String)
        case invalidPackageName(field: String, text: String)
        case malformedRelation(field: String, fault: RelationFault)
        /// The stanza is longer than any package needs, so it was passed over unread.
        case tooLarge(bytesMax: Int)
    }

    /// What is wrong with the text of `Depends` and its kin.
    package enum RelationFault: Error, Hashable, Sendable {
        case missingName
        case invalidName(String)
        case missingQualifier
        case invalidConstraint
        case invalidArchitectures
        /// `Provides` names packages that are there all at once, so `|` means nothing in it.
        case alternativesInProvides
        /// `Provides` can only say exactly which version it is.
        case inexactProvides
        case unexpectedText(String)
    }
}

extension StanzaProblem: CustomStringConvertible {
    package var description: String { "line \(line): \(reason)" }
}

extension StanzaProblem.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missingField(let field): "the stanza has no \(field) field"
        case .emptyField(let field): "the \(field) field is empty"
        case .duplicateField(let field): "the \(field) field is there twice"
        case .lineWithoutColon: "the line has no colon after a field name"
        case .lineWithoutName: "the line has no field name before its colon"
        case .continuationWithoutField: "the line continues a field, but none precedes it"
        case .fieldSpansLines(let field): "the \(field) field goes over more than one line"
        case .invalidUTF8(let field): "the \(field) field is not valid UTF-8"
        case .notANumber(let field, let text): "\(field) is not a number of bytes: '\(text)'"
        case .invalidPackageName(let field, let text):
            "the \(field) field is not a package name: '\(text)'"
        case .malformedRelation(let field, let fault): "\(field): \(fault)"
        case .tooLarge(let bytesMax): "the stanza is longer than \(bytesMax) bytes"
        }
    }
}

extension StanzaProblem.RelationFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missingName: "a package name is missing"
        case .invalidName(let text): "not a package name: '\(text)'"
        case .missingQualifier: "a colon is not followed by an architecture"
        case .invalidConstraint: "a version in parentheses is malformed"
        case .invalidArchitectures: "a list of architectures in brackets is malformed"
        case .alternativesInProvides: "alternatives have no meaning here"
        case .inexactProvides: "only an exact version can be provided"
        case .unexpectedText(let text): "unexpected text: '\(text)'"
        }
    }
}
