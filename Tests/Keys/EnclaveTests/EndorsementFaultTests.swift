import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import Enclave

/// Every file system call fails once, in every way and at every place, while records that widen access are signed and
/// checked.
///
/// Afterwards the last accepted list counts, or the one before it where nobody was told of a later one.
@Suite struct EndorsementFaultTests {
    private static let mostCalls = 200
    private static let faults: [FaultyFiles.Fault] = [.instead(ENOSPC), .instead(EIO), .afterwards(EIO), .killed]
    private static let store = StoreIdentifier()
    private static let passcode = "a passcode"
    private static let former = [UInt8](repeating: 1, count: Endorsement.digestBytes)
    private static let later = [UInt8](repeating: 2, count: Endorsement.digestBytes)
    private static let latest = [UInt8](repeating: 3, count: Endorsement.digestBytes)

    /// A keybag with a passcode and, unless nothing was ever signed, an accepted signed list.
    private struct Home {
        private var files: [String: [UInt8]] = [:]
        private(set) var endorsement: Endorsement?

        init(isSigned: Bool) throws {
            let folder = try TemporaryFolder()
            do {
                let enclave = EndorsementFaultTests.enclave(folder)
                _ = try enclave.openStore(store, isEmpty: true)
                _ = try enclave.passcode(SetPasscode(store), passcode)
                if isSigned {
                    let endorsement = try #require(
                        try enclave.passcode(EndorseRecords(former, .agent, in: store), passcode).endorsement)
                    try #require(try enclave.isEndorsed(former, endorsement, in: store))
                    self.endorsement = endorsement
                }
            }
            let keybags = TemporaryFolder.names(in: folder.state + "/keybags").map { "keybags/\($0)" }
            for name in ["uid.key"] + keybags { files[name] = TemporaryFolder.read(folder.state + "/" + name) }
        }

        func copy() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            mkdir(folder.state, 0o700)
            mkdir(folder.state + "/keybags", 0o700)
            for (name, content) in files { TemporaryFolder.write(folder.state + "/" + name, content) }
            return folder
        }
    }

    private static func enclave(_ folder: TemporaryFolder, _ files: FileCalls = .system) -> Enclave {
        Enclave(stateFolder: folder.state, settings: .quick(), files: files)
    }

    @Test(arguments: [false, true], faults)
    func theFormerOrTheLaterCounts(isSigned: Bool, fault: FaultyFiles.Fault) throws {
        let home = try Home(isSigned: isSigned)
        for call in 1...Self.mostCalls {
            let folder = try home.copy()
            let faulty = FaultyFiles(fault, atCall: call)
            var signed: Endorsement?
            var isAccepted = false
            do {
                let enclave = Self.enclave(folder, faulty.calls)
                let error = failure {
                    _ = try enclave.openStore(Self.store, isEmpty: false)
                    _ = try enclave.passcode(UnlockStore(.agent, in: Self.store), Self.passcode)
                    signed = try enclave.passcode(EndorseRecords(Self.later, .agent, in: Self.store), Self.passcode)
                        .endorsement
                    guard let signed else { return }
                    isAccepted = try enclave.isEndorsed(Self.later, signed, in: Self.store)
                }
                if let error { #expect(error.cause == (fault == .instead(ENOSPC) ? .full : .disk)) }
            }
            try Self.check(folder, home.endorsement, signed, isAccepted: isAccepted)
            if !faulty.hasStruck { return #expect(isAccepted) }
        }
        Issue.record("the operation never ended without the fault")
    }

    /// The number from a failed check may be on disk already.
    ///
    /// A second list with that number, present at the end, would then not be the expected one.
    @Test(arguments: [false, true], [FaultyFiles.Fault.instead(EIO), .afterwards(EIO)])
    func whatIsSignedAfterAFailureCounts(isSigned: Bool, fault: FaultyFiles.Fault) throws {
        let home = try Home(isSigned: isSigned)
        for call in 1...Self.mostCalls {
            let folder = try home.copy()
            let faulty = FaultyFiles(fault, atCall: call)
            let last: Endorsement
            do {
                let enclave = Self.enclave(folder, faulty.calls)
                func unlock() throws {
                    _ = try enclave.openStore(Self.store, isEmpty: false)
                    _ = try enclave.passcode(UnlockStore(.agent, in: Self.store), Self.passcode)
                }
                let error = failure {
                    try unlock()
                    let signed = try enclave.passcode(EndorseRecords(Self.later, .agent, in: Self.store), Self.passcode)
                    _ = try enclave.isEndorsed(Self.later, try #require(signed.endorsement), in: Self.store)
                }
                guard faulty.hasStruck else { return }
                if error != nil { try unlock() }
                let signed = try enclave.passcode(EndorseRecords(Self.latest, .agent, in: Self.store), Self.passcode)
                last = try #require(signed.endorsement)
            }
            let enclave = Self.enclave(folder)
            _ = try enclave.openStore(Self.store, isEmpty: false)
            #expect(try enclave.isEndorsed(Self.latest, last, in: Self.store), "call \(call)")
        }
        Issue.record("the operation never ended without the fault")
    }

    private static func check(
        _ folder: TemporaryFolder, _ former: Endorsement?, _ signed: Endorsement?, isAccepted: Bool
    ) throws {
        var enclave = enclave(folder)
        _ = try enclave.openStore(store, isEmpty: false)
        let status = try enclave.status(of: store)
        #expect(status.failures <= 1 && status.delay == 0, "a failure of the disk is no wrong passcode")
        // The former list is checked first, because accepting the later one discards it.
        if let former {
            let counts = try enclave.isEndorsed(self.former, former, in: store)
            if isAccepted { #expect(!counts) }
            // No caller was told of another list.
            if signed == nil { #expect(counts) }
        }
        if let signed {
            let counts = try enclave.isEndorsed(later, signed, in: store)
            if isAccepted { #expect(counts) }
            #expect(try !enclave.isEndorsed(self.former, signed, in: store))
        }
        // The next signature counts, and its number is higher than all before it.
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), passcode).outcome == .done)
        let next = try #require(try enclave.passcode(EndorseRecords(later, .agent, in: store), passcode).endorsement)
        #expect(next.number > (signed ?? former)?.number ?? 0)
        #expect(try enclave.isEndorsed(later, next, in: store))
        enclave = Enclave(stateFolder: folder.path + "/none", settings: .quick())
        enclave = Self.enclave(folder)
        _ = try enclave.openStore(store, isEmpty: false)
        #expect(try enclave.isEndorsed(later, next, in: store))
        if let former { #expect(try !enclave.isEndorsed(self.former, former, in: store)) }
    }
}
