import Glibc
import Testing

@testable import ChatelaineModel

/// Tests that decisions follow causes, and that all parts have the same tables of causes.
@Suite struct CauseTests {
    typealias Cause = KeychainError.Cause

    /// enclaved sends the numbers to securityd (`enclave-protocol.md`).
    @Test func numbersAndStatusesStay() {
        let table: [(UInt8, Cause, Status)] = [
            (1, .request, .param), (2, .fault, .internalComponent), (3, .unavailable, .notAvailable),
            (4, .damage, .notAvailable), (5, .unusableSnapshot, .notAvailable), (6, .busy, .notAvailable),
            (7, .full, .notAvailable), (8, .readOnly, .readOnly), (9, .disk, .ioError), (10, .memory, .allocate),
            (11, .missing, .notAvailable), (12, .newerFormat, .notAvailable), (13, .locked, .interactionNotAllowed),
            (14, .unsealable, .decode), (15, .duplicate, .duplicateItem), (16, .notFound, .itemNotFound),
            (17, .changedProgram, .authFailed), (18, .notEntitled, .missingEntitlement),
            (19, .needsPerson, .interactionNotAllowed), (20, .needsFile, .notAvailable),
            (21, .keyDestroyed, .itemNotFound), (22, .cannotAsk, .interactionNotAllowed),
            (23, .exchanged, .invalidKeychain), (24, .storeNotOpen, .param),
            (25, .unrecoverable, .notAvailable),
        ]
        #expect(table.map(\.1) == Cause.allCases)
        for (number, cause, status) in table {
            #expect(cause.rawValue == number && cause.status == status)
            #expect(KeychainError(cause: cause, "").status == status)
        }
    }

    /// A status without a cause must not start a recovery, skip a snapshot or mark a program as changed.
    @Test func whereOnlyTheStatusIsKnownLittleIsDecided() {
        let particular: Set<Cause> = [
            .damage, .unusableSnapshot, .busy, .full, .missing, .newerFormat, .changedProgram, .needsFile,
        ]
        for cause in Cause.allCases {
            let general = Cause(of: cause.status)
            if particular.contains(cause) {
                #expect(general == .unavailable)
            } else {
                #expect(general == Self.claimingLeast[cause] ?? cause)
            }
        }
        for status: Status in [
            .noSuchAttribute, .noSuchClass, .dataTooLarge, .unimplemented, .userCanceled, .aclNotSimple,
            .invalidOwnerEdit,
            .invalidACL, .invalidPrefsDomain,
        ] {
            #expect(Cause(of: status) == .request)
        }
        #expect(Cause(of: Status(rawValue: -67_000)) == .unavailable)
    }

    /// The cause that a status alone stands for, where several causes share the status.
    ///
    /// It claims neither that something is locked, nor that a key or a store is missing, nor that a person has to be
    /// asked.
    private static let claimingLeast: [Cause: Cause] = [
        .locked: .cannotAsk, .needsPerson: .cannotAsk, .keyDestroyed: .notFound, .exchanged: .unavailable,
        .storeNotOpen: .request, .unrecoverable: .unavailable,
    ]

    @Test func theSentenceDecidesNothing() {
        let sentences = [
            "the item store's database is damaged; its files are kept as they are",
            "a snapshot cannot be used: it is damaged",
            "another process keeps the item store's database locked",
        ]
        for sentence in sentences { #expect(KeychainError(.notAvailable, sentence).cause == .unavailable) }
    }

    @Test(arguments: [
        (ENOSPC, Cause.full), (EDQUOT, .full), (EFBIG, .full), (EROFS, .readOnly), (EIO, .disk), (ENOMEM, .memory),
        (ENOENT, .missing), (EACCES, .unavailable), (EPERM, .unavailable), (ENOTDIR, .unavailable),
        (ELOOP, .unavailable), (EMFILE, .unavailable), (ENFILE, .unavailable), (EWOULDBLOCK, .unavailable),
        (EBUSY, .unavailable), (ESTALE, .unavailable), (0, .unavailable), (4711, .unavailable),
    ])
    func errorNumbersMeanTheSameToEverybody(number: Int32, cause: Cause) {
        let plain = KeychainError(system: number, "/x")
        let step = KeychainError(system: number, "opening the file", "/x")
        #expect(plain.cause == cause && step.cause == cause)
        #expect(plain.status == cause.status && step.status == cause.status)
        #expect(plain.reason == "/x: \(SystemFailure(number).words)")
        let remedy = SystemFailure(number).remedy(for: "/x").map { "; \($0)" } ?? ""
        #expect(step.reason == "opening the file failed for /x: \(SystemFailure(number).words)\(remedy)")
    }

    @Test func whatMayBeReadIsReadOnly() {
        #expect(KeychainError(system: EACCES, "opening", "/x", mayRead: true).status == .readOnly)
        #expect(KeychainError(system: EACCES, "opening", "/x", mayRead: true).reason.contains("chmod u+w /x"))
        #expect(KeychainError(system: EIO, "opening", "/x", mayRead: true).cause == .disk)
    }

    /// The tables are used in files, on the wire, and in what `security` prints for programs.
    @Test func tablesOfTheStoreStay() {
        let reasons: [(UInt8, DamageReason, String)] = [
            (1, .columns, "columns"), (2, .unknownKey, "unknownKey"), (3, .metadata, "metadata"),
            (4, .digest, "digest"), (5, .rowKey, "rowKey"), (6, .secret, "secret"), (7, .superseded, "superseded"),
        ]
        #expect(reasons.map(\.1) == DamageReason.allCases)
        for (number, reason, word) in reasons { #expect(reason.rawValue == number && reason.word == word) }
        #expect(SnapshotReason.allCases == [.daily, .migration, .request, .newKeys])
        #expect(SnapshotReason.allCases.map(\.rawValue) == [1, 2, 3, 4])
        #expect(CheckOutcome.allCases == [.setAside, .replaced, .mended, .left])
        #expect(CheckOutcome.allCases.map(\.rawValue) == [1, 2, 3, 4])
    }
}
