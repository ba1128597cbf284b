import ChatelaineModel
import EnclaveProtocol
import TestSupport
import Testing

@testable import Enclave

/// Whenever a process ends or a file is exchanged, exactly one signed list counts: the last one checked, or its
/// successor.
@Suite final class EndorsementOrderTests {
    /// A list of programs, as it lies on the disk.
    private struct List {
        let digest: [UInt8]
        let endorsement: Endorsement
    }

    /// When a process ends, in the order in which a decision is carried out.
    enum Moment: CaseIterable, Sendable {
        case signed
        case written
        case noted
    }

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

    private func sign(_ byte: UInt8) throws -> List {
        let digest = [UInt8](repeating: byte, count: Endorsement.digestBytes)
        let report = try enclave.passcode(EndorseRecords(digest, .agent, in: store), "a passcode")
        return List(digest: digest, endorsement: try #require(report.endorsement))
    }

    private func counts(_ list: List) throws -> Bool {
        try enclave.isEndorsed(list.digest, list.endorsement, in: store)
    }

    /// Starts another custodian, which the user unlocks.
    private func restart() throws {
        // Only one custodian at a time can hold the folder.
        enclave = Enclave(stateFolder: folder.path + "/none", settings: .quick(clock))
        enclave = Enclave(stateFolder: folder.state, settings: .quick(clock))
        _ = try enclave.openStore(store, isEmpty: false)
        _ = try enclave.passcode(UnlockStore(.agent, in: store), "a passcode")
    }

    /// A written list that was never checked is worthless once another list of its number was, even if somebody puts it
    /// back.
    @Test(arguments: [false, true]) func ofTwoWithOneNumberOnlyTheOneThatWasSeenCounts(hasNewKeys: Bool) throws {
        let former = try sign(1)
        #expect(try counts(former))
        if hasNewKeys { _ = try enclave.passcode(MakeNewKeys(.agent, in: store), "a passcode") }
        let unseen = try sign(2)
        try restart()
        #expect(try counts(former))
        let next = try sign(3)
        #expect(next.endorsement.number == unseen.endorsement.number)
        #expect(try counts(next))
        for _ in 0..<2 {
            #expect(try !counts(unseen))
            #expect(try !counts(former))
            #expect(try counts(next))
            try restart()
        }
        let last = try sign(4)
        #expect(try counts(last))
        #expect(try !counts(next))
    }

    /// The same holds if only the caller ends and the custodian goes on.
    ///
    /// An unseen signature must not have a higher number than the next one, or it would count afterwards.
    @Test func noneThatWasNotSeenIsAheadOfTheNext() throws {
        let unseen = [try sign(1), try sign(2)]
        try restart()
        let next = try sign(3)
        #expect(try counts(next))
        for list in unseen { #expect(try !counts(list)) }
    }

    /// Wherever a process ends, the list on the disk counts, and so does the next decision about it.
    @Test(arguments: Moment.allCases, [false, true])
    func whereverItEndsTheListOnTheDiskCounts(moment: Moment, isCustodianEnded: Bool) throws {
        var disk = try sign(1)
        #expect(try counts(disk))
        for byte in 2...5 as ClosedRange<UInt8> {
            let former = disk
            let later = try sign(byte)
            if moment != .signed { disk = later }
            if moment == .noted { #expect(try counts(disk)) }
            if isCustodianEnded { try restart() }
            #expect(try counts(disk))
            if moment != .signed { #expect(try !counts(former)) }
        }
        let next = try sign(6)
        #expect(try counts(next))
        #expect(try !counts(disk))
    }

    /// A keybag of a release without stored digests accepts the first list of its number that is checked.
    @Test func withoutADigestTheFirstThatIsSeenIsLearnt() throws {
        let list = try sign(1)
        #expect(try counts(list))
        let other = try sign(2)
        try restart()
        let another = try sign(3)
        #expect(try counts(another))
        let custodian = try enclave.keybag(of: store)
        try custodian.saveAlone { draft throws(KeychainError) in draft.keybag.passcode?.signed = nil }
        #expect(try counts(another))
        #expect(try !counts(other))
    }
}
