import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import TestSupport
import Testing

@testable import Enclave

/// Records that widen access are signed with the passcode alone, and only the last signature counts.
@Suite final class EndorsementTests {
    private static let digest = [UInt8](repeating: 1, count: Endorsement.digestBytes)
    private static let other = [UInt8](repeating: 2, count: Endorsement.digestBytes)

    private let folder: TemporaryFolder
    private let store = StoreIdentifier()
    private let clock = FakeBootClock()
    private var enclave: Enclave

    init() throws {
        folder = try TemporaryFolder()
        enclave = Enclave(stateFolder: folder.state, settings: .quick(clock))
        _ = try enclave.openStore(store, isEmpty: true)
        _ = try enclave.passcode(SetPasscode(store), "a passcode")
    }

    private func endorse(
        _ digest: [UInt8] = EndorsementTests.digest, _ passcode: String = "a passcode"
    ) throws -> PasscodeReport {
        try enclave.passcode(EndorseRecords(digest, .agent, in: store), passcode)
    }

    /// Starts another custodian.
    private func restart() throws {
        // Only one custodian at a time can hold the folder.
        enclave = Enclave(stateFolder: folder.path + "/none", settings: .quick(clock))
        enclave = Enclave(stateFolder: folder.state, settings: .quick(clock))
        _ = try enclave.openStore(store, isEmpty: false)
    }

    @Test func onlyWhatWasSignedIsEndorsed() throws {
        let endorsement = try #require(try endorse().endorsement)
        #expect(try enclave.isEndorsed(Self.digest, endorsement, in: store))
        #expect(try !enclave.isEndorsed(Self.other, endorsement, in: store))
        let laterNumber = Endorsement(number: endorsement.number + 1, signature: endorsement.signature)
        #expect(try !enclave.isEndorsed(Self.digest, laterNumber, in: store))
        for index in [0, 31, 32, 63] {
            var signature = endorsement.signature
            signature[index] ^= 1
            let altered = Endorsement(number: endorsement.number, signature: signature)
            #expect(try !enclave.isEndorsed(Self.digest, altered, in: store))
        }
    }

    @Test func itTakesTheRightPasscodeAndCountsTheTry() throws {
        let report = try endorse(Self.digest, "another one")
        #expect(report.outcome == .wrong && report.endorsement == nil && report.failures == 1)
        for _ in 0..<4 { _ = try endorse(Self.digest, "another one") }
        #expect(try endorse().outcome == .delayed)
        #expect(try enclave.passcode(VerifyPasscode(.agent, in: store), "a passcode").outcome == .delayed)
        clock.advance(by: FakeBootClock.minute)
        #expect(try enclave.passcode(VerifyPasscode(.agent, in: store), "another one").outcome == .wrong)
        clock.advance(by: 60 * FakeBootClock.minute)
        #expect(try enclave.passcode(VerifyPasscode(.agent, in: store), "a passcode").outcome == .done)
        #expect(try endorse().endorsement != nil)
    }

    @Test func recordsAreReadAndNotMadeWhileItIsLocked() throws {
        let endorsement = try #require(try endorse().endorsement)
        try enclave.lock(store)
        #expect(failure { _ = try endorse() }?.status == .interactionNotAllowed)
        #expect(try enclave.status(of: store).failures == 0)
        #expect(try enclave.isEndorsed(Self.digest, endorsement, in: store))
        try restart()
        #expect(try enclave.isEndorsed(Self.digest, endorsement, in: store))
        #expect(failure { _ = try endorse() }?.status == .interactionNotAllowed)
    }

    @Test func anOlderOneIsWorthlessOnceALaterOneWasSeen() throws {
        let first = try #require(try endorse().endorsement)
        #expect(try enclave.isEndorsed(Self.digest, first, in: store))
        let second = try #require(try endorse(Self.other).endorsement)
        // If a crash prevents the use of the later records, the former ones still count.
        #expect(try enclave.isEndorsed(Self.digest, first, in: store))
        #expect(try enclave.isEndorsed(Self.other, second, in: store))
        #expect(try !enclave.isEndorsed(Self.digest, first, in: store))
        try restart()
        #expect(try !enclave.isEndorsed(Self.digest, first, in: store))
        #expect(try enclave.isEndorsed(Self.other, second, in: store))
    }

    @Test func aChangeKeepsSignaturesAndNewKeysWhatWasSigned() throws {
        let endorsement = try #require(try endorse().endorsement)
        #expect(try enclave.isEndorsed(Self.digest, endorsement, in: store))
        _ = try enclave.passcode(ChangePasscode(.agent, in: store), "a passcode", "next one")
        #expect(try enclave.isEndorsed(Self.digest, endorsement, in: store))
        let again = try #require(try endorse(Self.digest, "next one").endorsement)
        #expect(again.number > endorsement.number)
        _ = try enclave.passcode(MakeNewKeys(.agent, in: store), "next one")
        // Only the records in use count, until others are used. Other signatures by the former key are worthless.
        #expect(try enclave.isEndorsed(Self.digest, again, in: store))
        #expect(try !enclave.isEndorsed(Self.other, again, in: store))
        let later = try #require(try endorse(Self.other, "next one").endorsement)
        #expect(try enclave.isEndorsed(Self.digest, again, in: store))
        #expect(try enclave.isEndorsed(Self.other, later, in: store))
        #expect(try !enclave.isEndorsed(Self.digest, again, in: store))
        let fresh = try #require(try endorse(Self.digest, "next one").endorsement)
        #expect(try enclave.isEndorsed(Self.digest, fresh, in: store))
        _ = try enclave.passcode(RemovePasscode(.agent, in: store), "next one")
        #expect(try !enclave.isEndorsed(Self.digest, fresh, in: store))
        #expect(failure { _ = try endorse(Self.digest, "next one") }?.status == .param)
    }

    /// The fact holds while the keybag is locked, and whatever becomes of the list of records.
    @Test func newKeysDoNotForgetThatTrustWasSigned() throws {
        #expect(try !enclave.status(of: store).hasSignedTrust)
        let endorsement = try #require(try endorse().endorsement)
        #expect(try enclave.isEndorsed(Self.digest, endorsement, haveTrust: true, in: store))
        #expect(try enclave.status(of: store).hasSignedTrust)
        try enclave.lock(store)
        for _ in 0..<2 {
            _ = try enclave.passcode(MakeNewKeys(.agent, in: store), "a passcode")
            #expect(try enclave.status(of: store).hasSignedTrust)
            #expect(try enclave.isEndorsed(Self.digest, endorsement, haveTrust: true, in: store))
            try restart()
            #expect(try enclave.status(of: store).hasSignedTrust)
        }
        _ = try enclave.passcode(UnlockStore(.agent, in: store), "a passcode")
        // Records that were put there without the passcode do not end it.
        #expect(try enclave.isEndorsed(Self.digest, endorsement, haveTrust: false, in: store))
        #expect(try enclave.status(of: store).hasSignedTrust)
        let without = try #require(try endorse(Self.other).endorsement)
        #expect(try enclave.status(of: store).hasSignedTrust)
        #expect(try enclave.isEndorsed(Self.other, without, haveTrust: false, in: store))
        #expect(try !enclave.status(of: store).hasSignedTrust)
    }

    @Test func thoseOfAnotherStoreDoNotCount() throws {
        let elsewhere = StoreIdentifier()
        _ = try enclave.openStore(elsewhere, isEmpty: true)
        _ = try enclave.passcode(SetPasscode(elsewhere), "a passcode")
        let endorsement = try #require(
            try enclave.passcode(EndorseRecords(Self.digest, .agent, in: elsewhere), "a passcode").endorsement)
        _ = try endorse()
        #expect(try !enclave.isEndorsed(Self.digest, endorsement, in: store))
    }
}
