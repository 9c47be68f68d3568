import SwiftDiagnostics
import SwiftSyntax

/// A way to use a macro wrongly, with a message that says what to do instead.
struct Misuse: DiagnosticMessage {
    let name: String
    let message: String
    let severity: DiagnosticSeverity

    private init(_ name: String, _ message: String, severity: DiagnosticSeverity = .error) {
        self.name = name
        self.message = message
        self.severity = severity
    }

    var diagnosticID: MessageID { MessageID(domain: "Varve", id: name) }

    func diagnostic(at node: some SyntaxProtocol, fixIts: [FixIt] = []) -> Diagnostic {
        Diagnostic(node: node, message: self, fixIts: fixIts)
    }
}

// MARK: - The type

extension Misuse {
    static func notAStruct(_ keyword: String) -> Misuse {
        Misuse(
            "notAStruct",
            "'@EntityModel' needs a struct: a context copies its entities, and \(keyword.withArticle)"
                + " cannot be an entity")
    }

    static func notStorable(_ keyword: String) -> Misuse {
        Misuse(
            "notStorable",
            "'@Storable' needs a struct or an enum: \(keyword.withArticle) is not a value")
    }

    static func localType(_ name: String) -> Misuse {
        Misuse(
            "localType",
            "'\(name)' is local to a function, where a macro cannot extend it: declare it in a"
                + " type or at file scope")
    }

    static func privateNestedType(_ name: String) -> Misuse {
        Misuse(
            "privateNestedType",
            "'\(name)' is private to the type around it, so that its generated extension cannot"
                + " name it: declare it 'fileprivate'")
    }

    static let malformedName = Misuse(
        "malformedName",
        "a persisted name must be a plain, non-empty string literal without escapes")

    static func duplicateName(_ nameInLog: String, of first: String) -> Misuse {
        Misuse(
            "duplicateName",
            "the persisted name \"\(nameInLog)\" is already taken by '\(first)': give this one"
                + " another with '@PersistedName'")
    }

    static let nameWithoutProperty = Misuse(
        "nameWithoutProperty",
        "'@PersistedName' names a stored property or an enum case; this declaration is not"
            + " persisted")

    static let nameForSeveralCases = Misuse(
        "nameForSeveralCases", "'@PersistedName' names one case: declare each case by itself")
}

// MARK: - Its properties

extension Misuse {
    static func missingID(_ type: String) -> Misuse {
        Misuse(
            "missingID",
            "'\(type)' has no 'id': an entity declares one in the struct itself, such as"
                + " 'let id: String'")
    }

    static let remadeID = Misuse(
        "remadeID",
        "a 'let id' with a value gets another one each time an entity is decoded: declare it 'var'"
    )

    static func wrongID(_ reason: String) -> Misuse {
        Misuse("wrongID", "'id' identifies the entity and cannot be \(reason)")
    }

    static func remadeConstant(_ name: String) -> Misuse {
        Misuse(
            "remadeConstant",
            "'\(name)' is a 'let' with a value, which is not persisted but made anew each time an"
                + " instance is decoded: declare it 'var' to persist it, or 'static let'",
            severity: .warning)
    }

    static func unusualStorage(_ name: String, word: String) -> Misuse {
        Misuse(
            "unusualStorage",
            "'\(name)' is \(word) and would not be persisted: remove '\(word)', or make it a"
                + " computed property")
    }

    static let tuplePattern = Misuse(
        "tuplePattern",
        "properties that a tuple pattern declares would not be persisted: declare each by itself")

    static func conditionalMember(_ name: String) -> Misuse {
        Misuse(
            "conditionalMember",
            "'\(name)' depends on '#if', and what is persisted must not depend on how the program"
                + " was built: move it out of '#if'")
    }

    static func unknownWrapper(_ name: String, wrapper: String) -> Misuse {
        Misuse(
            "unknownWrapper",
            "'@\(wrapper)' wraps '\(name)', and a wrapped property is not persisted: remove the"
                + " wrapper, or make '\(name)' a computed property over a stored one")
    }
}

// MARK: - Ids that the store gives

extension Misuse {
    static func numberedTwice(_ first: String, _ second: String) -> Misuse {
        let places = first == second ? "twice on '\(first)'" : "on '\(first)' and '\(second)'"
        return Misuse(
            "numberedTwice",
            "'@AutoIncrement' is \(places): an entity has one id, so keep the one on 'id'")
    }

    static func numberedProperty(_ name: String) -> Misuse {
        Misuse(
            "numberedProperty",
            "'@AutoIncrement' numbers ids, and '\(name)' is none: remove it, or name the property"
                + " 'id'")
    }

    static func numberedType(_ type: String) -> Misuse {
        Misuse(
            "numberedType",
            "'@AutoIncrement' gives integers, and \(type) is none: declare 'let id: Int'")
    }

    static let numberedValue = Misuse(
        "numberedValue",
        "the store gives this id, so it cannot be computed or have a value: declare 'let id: Int'")

    static let numberedOutside = Misuse(
        "numberedOutside", "'@AutoIncrement' belongs to the 'id' of a type with '@EntityModel'")

    static func unknownParameterType(_ name: String) -> Misuse {
        Misuse(
            "unknownParameterType",
            "the initializer without an id needs the type of '\(name)': write it out, such as in"
                + " 'var \(name): [String] = []'")
    }
}

// MARK: - Its functions

extension Misuse {
    static func closedFunction(_ signature: String, instead: String) -> Misuse {
        Misuse(
            "closedFunction",
            "'\(signature)' is the library's, and one that an entity declares would run only where it"
                + " is called by name: write \(instead) instead")
    }
}

// MARK: - Its relations

extension Misuse {
    static func relationIsConstant(_ name: String) -> Misuse {
        Misuse("relationIsConstant", "the relation '\(name)' must be a 'var'")
    }

    static func relationIsStatic(_ name: String) -> Misuse {
        Misuse(
            "relationIsStatic",
            "the relation '\(name)' belongs to each entity and cannot be static")
    }

    static func relationIsComputed(_ name: String) -> Misuse {
        Misuse(
            "relationIsComputed",
            "the relation '\(name)' cannot have accessors: it is stored by its wrapper")
    }

    static func relationWithoutType(_ name: String) -> Misuse {
        Misuse(
            "relationWithoutType",
            "the relation '\(name)' needs a type, such as 'User?' for one or '[User]?' for many")
    }

    static func relationIsNotOptional(_ name: String, type: String) -> Misuse {
        Misuse(
            "relationIsNotOptional",
            "the relation '\(name)' must be optional, because an entity need not have its related"
                + " entities loaded: write '\(type)'")
    }

    static func oneWayWithoutValue(_ name: String) -> Misuse {
        Misuse(
            "oneWayWithoutValue",
            "the one-way relation '\(name)' needs a value to start from: write '= nil', or"
                + " '@Relationship()' for a memberwise initializer that takes ids too")
    }

    static func sharedInverse(_ inverse: String, of first: String, and second: String) -> Misuse {
        Misuse(
            "sharedInverse",
            "'\(first)' and '\(second)' both name '\(inverse)' as their inverse, which can be that"
                + " of one only")
    }

    static func malformedInverse(_ name: String) -> Misuse {
        Misuse(
            "malformedInverse",
            "the inverse of '\(name)' must be a key path to one relation, such as '\\.messages'"
                + " or '\\Chat.messages'")
    }
}

extension Misuse {
    static func orphansWithoutCascade(_ name: String) -> Misuse {
        Misuse(
            "orphansWithoutCascade",
            "'\(name)' deletes what leaves it, so what is in it must go with its entity: add"
                + " 'deleteRule: .cascade'")
    }
}

// MARK: - Its indexes

extension Misuse {
    static func indexWithoutPath(_ name: String, wrapper: String) -> Misuse {
        Misuse(
            "indexWithoutPath",
            "the index '\(name)' needs the properties that it is about: write"
                + " '@\(wrapper)<Self>(\\.property)'")
    }

    static func indexTooWide(_ name: String, limit: Int) -> Misuse {
        Misuse("indexTooWide", "the index '\(name)' has more than \(limit) properties")
    }

    static func unknownIndexArgument(_ label: String, wrapper: String) -> Misuse {
        Misuse("unknownIndexArgument", "'@\(wrapper)' has no argument '\(label)'")
    }

    static func malformedIndexPath(_ name: String) -> Misuse {
        Misuse(
            "malformedIndexPath",
            "the index '\(name)' needs key path literals, such as '\\.age' or '\\.age.desc'")
    }

    static func indexOnRelation(_ name: String, relation: String) -> Misuse {
        Misuse(
            "indexOnRelation",
            "the index '\(name)' cannot be about the relation '\(relation)': a row is stored without"
                + " its relations, and links need no index, because every relation is one")
    }

    static func indexOnAsset(_ name: String, property: String) -> Misuse {
        Misuse(
            "indexOnAsset",
            "the index '\(name)' cannot be about the asset '\(property)': a row has its digest and"
                + " size alone; keep what is to be found in a property of its own")
    }

    static func indexReadsRelation(
        _ name: String, property: String, relation: String
    ) -> Misuse {
        Misuse(
            "indexReadsRelation",
            "the index '\(name)' cannot be about '\(property)', which reads the relation"
                + " '\(relation)': a row is stored without its relations; keep what is indexed in a"
                + " stored property")
    }

    static func indexOnUntypedID(_ name: String) -> Misuse {
        Misuse(
            "indexOnUntypedID",
            "the index '\(name)' is about 'id', whose type must then be written out, such as in"
                + " 'var id: UUID'")
    }

    static func indexOnOptional(_ property: String, replacement: String) -> Misuse {
        Misuse(
            "indexOnOptional",
            "'\(property)' is optional, and optionals have no order: write '\(replacement)', which has"
                + " nil in front")
    }

    static let indexIsStatic = Misuse(
        "indexIsStatic", "Index should be declared as instance property", severity: .warning)

    static func conditionalIndex(_ name: String) -> Misuse {
        Misuse(
            "conditionalIndex",
            "the index '\(name)' depends on '#if', where '@EntityModel' does not see it: move it"
                + " out of '#if'")
    }
}

// MARK: - Storable types

extension Misuse {
    static func recursiveType(_ name: String) -> Misuse {
        Misuse(
            "recursiveType",
            "'\(name)' holds itself, so that its stored form has no bound: make it 'Codable' in"
                + " place of '@Storable', and it is stored as JSON")
    }

    static func noCases(_ name: String) -> Misuse {
        Misuse("noCases", "'\(name)' has no cases, so that there is no value to store")
    }
}

extension String {
    fileprivate var withArticle: String {
        let startsWithVowel = first.map { "aeiou".contains($0) } ?? false
        return (startsWithVowel ? "an " : "a ") + self
    }
}
