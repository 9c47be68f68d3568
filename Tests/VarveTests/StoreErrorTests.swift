import Foundation
import Testing
import VarveAssets
@testable import Varve

@Suite("Messages of store errors")
struct StoreErrorTests {
    private static let damage = LogError.missing(directory: "Notes.varve")
    private static let lost = UndoConflict.missing(isFinal: false)
    private static let refused = UndoConflict.missing(isFinal: true)

    private static let digest = AssetDigest(of: UnsafeRawBufferPointer(start: nil, count: 0))

    private static func failure(_ reason: AssetFailure.Reason) -> AssetFailure {
        AssetFailure(
            type: "Note", id: "1", property: "image", digest: digest, file: "assets/e3/b0",
            reason: reason)
    }

    /// Each case, and the sentence that says what to do about it.
    private static let steps: [(error: StoreError, step: String)] = [
        (.log(damage), "check the path"),
        (
            .schema([SchemaProblem(type: "Note", property: "text", reason: "no stored form")]),
            "change the declarations so that they agree with the store, or open it with the version "
                + "of the app that wrote it"
        ),
        (
            .inconsistent(transaction: 7, reason: "no such entity"),
            "restore a backup, or salvage a copy"
        ),
        (
            .migration(MigrationFailure("names", type: "Note", id: "1", CancellationError())),
            "nothing was changed: mend the step, and open the store again"
        ),
        (.needsMigration(["names"]), "open it once with mode .readWrite and these migrations"),
        (
            .migratedByNewerApp(["names"], []),
            "open it with the newer version, or open the backup from before the migration"
        ),
        (
            .acrossMigration(
                MigrationBarrier(migration: "names", transaction: 4, reason: .notGiven)),
            "open the store with this migration in the list"
        ),
        (
            .acrossMigration(
                MigrationBarrier(migration: "names", transaction: 4, reason: .isMigration)),
            "write a migration that leads back"
        ),
        (
            .unreadable(
                UnreadableValue(
                    type: "Note", id: "1",
                    .invalidValue(offset: 0, typeName: "Mood"))),
            "let the property's type read it, or give the property another name, "
                + "or open the store with the version of the app that wrote it"
        ),
        (
            .unreadable(
                UnreadableValue(type: "Note", id: "1", .notMigratable(reason: "no number"))),
            "let the steps of the migration take the row of then, "
                + "or open the store with the version of the app that wrote it"
        ),
        (
            .unencodable(type: "Note", id: "1", .notRoundTrippable(property: "text")),
            "save another value, or change the type of the property"
        ),
        (
            .rowTooLarge(type: "Note", id: "1", bytes: ByteCount(9), limit: ByteCount(8)),
            "divide its content among several entities, or make a large property an asset"
        ),
        (
            .asset(failure(.missing)),
            "make the asset in this store again, or bring the file back from a backup"
        ),
        (
            .asset(failure(.resized(found: 3))),
            "bring the file back from a backup, or make the asset again"
        ),
        (
            .asset(failure(.changed(found: digest))),
            "bring the file back from a backup, or make the asset again"
        ),
        (
            .asset(
                failure(.unreadable(FileSystemError(.read, file: "a", reason: .unexpectedEnd)))),
            "see to the file, and try again"
        ),
        (.asset(failure(.undecodable(.invalidUTF8(offset: 0)))), "read the content as data"),
        (.outcomeUnknown(7, damage), "close the store and open it again to find out"),
        (.nestedWrite, "use the context that the body was given"),
        (.foreignContext, "change the context it is given"),
        (
            .belowFloor(3, floor: 7),
            "ask for a later one, and open the store with a longer retention to keep more"
        ),
        (.unknownTransaction(9, newest: 7), "ask for one up to that"),
        (.nothingToUndo(scope: nil), "ask canUndo first, with the same scope"),
        (.nothingToRedo(scope: "window"), "ask canRedo first, with the same scope"),
        (
            .conflicts([lost]),
            "undo the later changes first, or use force: true to overwrite them"
        ),
        (.conflicts([lost, refused]), "undo the later changes first"),
        (.unknownSavepoint("import"), "see savepoints for the names there are"),
        (.reservedMetadata("varve.x"), "choose another key"),
        (
            .foreignToken(store: "a", found: "b"),
            "keep a token for each store, or start without one"
        ),
        (
            .notTheFormerVersion(type: "Note", id: "1"),
            "apply each change once, to the version before it"
        ),
        (.readOnly, "open it with mode .readWrite"),
        (.closed, "open it again"),
        (.suspended, "call resume() first"),
        (.replacedWhileSuspended, "close the store and open what is there now"),
    ]

    /// The cases of `StoreError`. A new one does not compile before `kind(of:)` has it.
    private enum Kind: CaseIterable {
        case log, schema, inconsistent, migration, migratedByNewerApp, needsMigration
        case acrossMigration, unreadable, unencodable, rowTooLarge, asset, outcomeUnknown
        case nestedWrite, foreignContext, belowFloor, unknownTransaction, nothingToUndo
        case nothingToRedo, conflicts, unknownSavepoint, reservedMetadata, foreignToken
        case notTheFormerVersion, readOnly, closed, suspended, replacedWhileSuspended
    }

    private static func kind(of error: StoreError) -> Kind {
        switch error {
        case .log: .log
        case .schema: .schema
        case .inconsistent: .inconsistent
        case .migration: .migration
        case .migratedByNewerApp: .migratedByNewerApp
        case .needsMigration: .needsMigration
        case .acrossMigration: .acrossMigration
        case .unreadable: .unreadable
        case .unencodable: .unencodable
        case .rowTooLarge: .rowTooLarge
        case .asset: .asset
        case .outcomeUnknown: .outcomeUnknown
        case .nestedWrite: .nestedWrite
        case .foreignContext: .foreignContext
        case .belowFloor: .belowFloor
        case .unknownTransaction: .unknownTransaction
        case .nothingToUndo: .nothingToUndo
        case .nothingToRedo: .nothingToRedo
        case .conflicts: .conflicts
        case .unknownSavepoint: .unknownSavepoint
        case .reservedMetadata: .reservedMetadata
        case .foreignToken: .foreignToken
        case .notTheFormerVersion: .notTheFormerVersion
        case .readOnly: .readOnly
        case .closed: .closed
        case .suspended: .suspended
        case .replacedWhileSuspended: .replacedWhileSuspended
        }
    }

    @Test("No case is without its sentence here")
    func everyCase() {
        #expect(Set(Self.steps.map { Self.kind(of: $0.error) }) == Set(Kind.allCases))
    }

    @Test("Every message ends with what to do next, also as Foundation shows it")
    func steps() {
        for (error, step) in Self.steps {
            #expect("\(error)".hasSuffix("; " + step), "\(error)")
            let shown: any Error = error
            #expect(shown.localizedDescription == "\(error)")
            #expect(error.recoverySuggestion == step)
            #expect("\(error)" == (error.failureReason ?? "") + "; " + step)
        }
    }

    @Test(
        "Foundation shows what every layer says, and parts it into reason and suggestion",
        arguments: Self.ofOtherLayers)
    func otherLayers(sample: Sample) {
        #expect(sample.error.localizedDescription == "\(sample.reason); \(sample.suggestion)")
        let localized = sample.error as? any LocalizedError
        #expect(localized?.errorDescription == "\(sample.error)")
        #expect(localized?.failureReason == sample.reason)
        #expect(localized?.recoverySuggestion == sample.suggestion)
    }

    struct Sample: Sendable, CustomTestStringConvertible {
        let error: any Error
        let reason: String
        let suggestion: String
        var testDescription: String { "\(type(of: error))" }

        init(_ error: any Error, _ reason: String, _ suggestion: String) {
            (self.error, self.reason, self.suggestion) = (error, reason, suggestion)
        }
    }

    static let ofOtherLayers = [
        Sample(damage, "there is no store at Notes.varve", "check the path"),
        Sample(
            FileSystemError(.write, file: "1.log", reason: .system(code: 28)),
            "cannot write 1.log: No space left on device",
            "make room on the disk, or copy the store to another: reading it needs none"),
        Sample(
            ContextError.noSuchEntity(type: "Note", id: "1"), "there is no Note with the id 1",
            "save it first, or use find, which returns nil"),
        Sample(
            CodecError.notStorable(property: "view", typeName: "View"),
            "'view' has type View, which has no stored form", "make it Storable or Codable"),
        Sample(
            CollisionResolver<Book>.Errors.uniqueValueIndexViolation(
                existing: 1, new: 2, indexName: "isbn"),
            "Book 2 cannot be saved: 1 has the same value already in the unique index 'isbn'",
            "give it another value, or change or delete 1 first"),
    ]

    @Test("An escape in a name reaches no part of an error")
    func escapes() {
        let error = StoreError.unknownSavepoint("a\u{1B}[31m")
        #expect(error.failureReason == "there is no savepoint 'a\\u{1B}[31m'")
    }

    @Test("A message names what it is about")
    func contents() {
        #expect("\(StoreError.nothingToRedo(scope: "window"))".contains("in the scope 'window'"))
        #expect("\(StoreError.conflicts([Self.lost]))".contains("Note 1 was deleted"))
        #expect("\(StoreError.belowFloor(3, floor: 7))".contains("of those before 7 none is"))
    }
}

extension UndoConflict {
    fileprivate static func missing(isFinal: Bool) -> UndoConflict {
        UndoConflict(type: "Note", id: "1", reason: .missing, isFinal: isFinal)
    }
}
