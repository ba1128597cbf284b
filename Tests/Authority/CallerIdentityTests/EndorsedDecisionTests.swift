import ChatelaineModel
import TestSupport
import Testing

@testable import CallerIdentity

/// With a passcode, decisions that widen access count only as signed.
///
/// A list of programs that somebody else has written does not count.
@Suite struct EndorsedDecisionTests {
    private let bench: Bench
    private var ledger: ApplicationLedger { bench.ledger }
    private let one = Bench.digest(1)
    private let two = Bench.digest(2)

    init() throws {
        bench = try Bench()
        try ledger.pin("/a", digest: one)
        try ledger.pin("/b", digest: one)
    }

    private func endorse(_ decision: ApplicationLedger.Decision) throws {
        try ledger.carryOut(try ledger.prepare(decision, isToBeEndorsed: true), Bench.endorsement)
    }

    @Test func nothingIsDecidedWithoutThePasscode() throws {
        ledger.settle(needsEndorsement: true, isEndorsed: false)
        let before = ledger.list()
        for decision in [.accept("/a", two), .develop("/c", isFolder: true), .forget("/a")]
            as [ApplicationLedger.Decision]
        {
            #expect(throws: KeychainError(.authFailed, "")) { try ledger.carryOut(decision) }
        }
        #expect(ledger.list() == before)
        // Pinning at first use is not a decision, and goes on.
        try ledger.pin("/d", digest: one)
        #expect(ledger.evaluate("/d", digest: one) == .pinned)
    }

    @Test func whatIsSignedCounts() throws {
        ledger.settle(needsEndorsement: true, isEndorsed: false)
        try endorse(.accept("/a", two))
        try endorse(.develop("/c", isFolder: true))
        #expect(ledger.evaluate("/a", digest: two) == .pinned)
        #expect(ledger.isInDevelopment("/c/x"))
        let claim = try #require(ledger.claim)
        #expect(claim.endorsement == Bench.endorsement)
        // The decisions count as signed once the custodian has checked the signature.
        let next = try bench.reopened()
        next.settle(needsEndorsement: true, isEndorsed: false)
        #expect(next.claim?.digest == claim.digest)
        #expect(next.evaluate("/a", digest: two) == .changed && !next.isInDevelopment("/c/x"))
        next.settle(needsEndorsement: true, isEndorsed: true)
        #expect(next.evaluate("/a", digest: two) == .pinned && next.isInDevelopment("/c/x"))
    }

    /// A pin of first use does not change the signed content.
    @Test func firstUseNeedsNoSignature() throws {
        try endorse(.develop("/c", isFolder: true))
        let claim = ledger.claim
        try ledger.pin("/new", digest: one)
        #expect(ledger.claim?.digest == claim?.digest)
        #expect(ledger.isInDevelopment("/c/x") && ledger.evaluate("/new", digest: one) == .pinned)
    }

    /// The next decision does not also sign entries that somebody has written into the list.
    @Test func aDecisionConfirmsNothingElse() throws {
        try ledger.carryOut(.develop("/evil", isFolder: true))
        try ledger.accept("/b", digest: two)
        ledger.settle(needsEndorsement: true, isEndorsed: false)
        try endorse(.accept("/a", two))
        #expect(ledger.evaluate("/a", digest: two) == .pinned)
        #expect(!ledger.isInDevelopment("/evil/x") && ledger.evaluate("/b", digest: two) == .changed)
        // Each entry can be signed separately.
        try endorse(.accept("/b", two))
        try endorse(.develop("/evil", isFolder: true))
        #expect(ledger.isInDevelopment("/evil/x") && ledger.evaluate("/b", digest: two) == .pinned)
    }

    @Test func theFirstPasscodeConfirmsWhatCounts() throws {
        try ledger.carryOut(.develop("/c", isFolder: true))
        try ledger.accept("/a", digest: two)
        #expect(try ledger.prepare(.confirmAll, isToBeEndorsed: true).widensAccess)
        try endorse(.confirmAll)
        #expect(ledger.needsEndorsement)
        #expect(ledger.evaluate("/a", digest: two) == .pinned && ledger.isInDevelopment("/c/x"))
    }

    @Test func whatWasChangedMeanwhileIsRefused() throws {
        ledger.settle(needsEndorsement: true, isEndorsed: false)
        let draft = try ledger.prepare(.accept("/a", two), isToBeEndorsed: true)
        try endorse(.develop("/c", isFolder: true))
        #expect(throws: KeychainError(.notAvailable, "")) { try ledger.carryOut(draft, Bench.endorsement) }
        #expect(ledger.evaluate("/a", digest: two) == .changed)
    }

    /// Settings of trust can deny. If they are missing, somebody may have removed them.
    @Test func settingsThatWereSignedAreNotNoneForBeingAway() throws {
        let settings = try #require(Bytes32([UInt8](repeating: 7, count: 32)))
        #expect(ledger.trustSettings == .none)
        ledger.settle(needsEndorsement: true, isEndorsed: false, hasSignedTrust: false)
        #expect(ledger.trustSettings == .none)
        // Records were signed, but none are here.
        ledger.settle(needsEndorsement: true, isEndorsed: false, hasSignedTrust: true)
        #expect(ledger.trustSettings == .unknown)
        ledger.settle(needsEndorsement: true, isEndorsed: true, hasSignedTrust: false)
        #expect(ledger.trustSettings == .none)
        // A decision about another matter says nothing about the settings.
        ledger.settle(needsEndorsement: true, isEndorsed: false, hasSignedTrust: true)
        try endorse(.develop("/c", isFolder: true))
        #expect(ledger.trustSettings == .unknown)
        let next = try bench.reopened()
        next.settle(needsEndorsement: true, isEndorsed: true, hasSignedTrust: true)
        #expect(next.trustSettings == .unknown)
        try next.carryOut(try next.prepare(.setTrust(nil), isToBeEndorsed: true), Bench.endorsement)
        #expect(next.trustSettings == .none)
        try next.carryOut(try next.prepare(.setTrust(settings), isToBeEndorsed: true), Bench.endorsement)
        #expect(next.trustSettings == .file(settings))
        next.settle(needsEndorsement: true, isEndorsed: false, hasSignedTrust: true)
        #expect(next.trustSettings == .unknown)
    }

    /// The loss of settings is signed as well.
    ///
    /// A list that says there are none differs from the signed one, even with its key.
    @Test func aListWithoutWhatWasLostIsNotTheOneThatWasSigned() throws {
        ledger.settle(needsEndorsement: true, isEndorsed: false, hasSignedTrust: true)
        try endorse(.develop("/c", isFolder: true))
        let signed = try #require(ledger.claim)
        #expect(signed.haveTrust)
        try rewrite { $0.trust = nil }
        let next = try bench.reopened()
        let claim = try #require(next.claim)
        #expect(claim.digest != signed.digest)
        next.settle(needsEndorsement: true, isEndorsed: claim.digest == signed.digest, hasSignedTrust: true)
        #expect(next.trustSettings == .unknown)
    }

    /// Rewrites the list as somebody who may write the user's files can, since the key is among them.
    private func rewrite(_ change: (inout ApplicationLedger.Content) -> Void) throws {
        let file = AuthenticatedFile(
            folder: bench.records.path, name: "applications", kind: ApplicationLedger.fileKind,
            version: ApplicationLedger.fileVersion, limit: ApplicationLedger.fileLimit, key: Bench.key, files: .system)
        var content = try ApplicationLedger.decoded(try #require(try file.read()))
        change(&content)
        try file.write(ApplicationLedger.encoded(content))
    }

    /// The signed bytes of a folder in development never change, for each state of the settings of trust.
    ///
    /// The first two were signed before lost settings were recorded.
    @Test func whatIsSignedOfTrustIsAlwaysTheSame() throws {
        var state = ApplicationLedger.State()
        state.development["/b"] = ApplicationRecord(path: "/b", kind: .developmentFolder, since: 1, accepted: nil)
        func signed() -> Bytes32? { Bytes32(ApplicationLedger.endorsedDigest(of: state)) }
        func bytes(_ hexadecimal: String) -> Bytes32? { Bytes32(hexadecimal: Array(hexadecimal.utf8)) }
        #expect(signed() == bytes("35cbebd9cdc569fec6db8b004c9ccd28620f335df929bc4c0674c3439b884533"))
        state.trust = TrustSettingsRecord(digest: try #require(Bytes32([UInt8](repeating: 7, count: 32))))
        #expect(signed() == bytes("33930b3cc64258a1dc5a1222a4924ece52f04eb7b5f791a6681d1c3bfa7d753c"))
        // [["/b", 1, 1, null, null, true]] and [].
        let lost = bytes("713f2c1b9036550ac9fbaa380c3b305fe1c58b93025c373a90cc748392e17fed")
        state.trust?.isConfirmed = false
        #expect(signed() == lost)
        state.trust = .lost
        #expect(signed() == lost)
    }

    @Test func whatCountsAnewIsJudgedAnew() throws {
        try ledger.carryOut(.develop("/c", isFolder: true))
        let revision = ledger.revision
        ledger.settle(needsEndorsement: false, isEndorsed: false)
        #expect(ledger.revision == revision)
        ledger.settle(needsEndorsement: true, isEndorsed: false)
        #expect(ledger.revision != revision)
        #expect(try bench.reopened().revision != ledger.revision)
    }
}
