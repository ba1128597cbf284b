import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import Sealing
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import Enclave

/// A passcode can be tried only so often, and nothing gives a caller more tries.
@Suite struct TriesTests {
    private static let minute = FakeBootClock.minute
    private let folder: TemporaryFolder
    private let store = StoreIdentifier()
    private let triesPath: String

    init() throws {
        folder = try TemporaryFolder()
        triesPath = folder.state + "/keybags/\(TriesFile.name(of: store))"
        let enclave = Enclave(stateFolder: folder.state, settings: .quick())
        _ = try enclave.openStore(store, isEmpty: true)
        _ = try enclave.passcode(SetPasscode(store), "right")
    }

    private func start(
        _ clock: FakeBootClock, hash: PasswordHash = .quick(), files: FileCalls = .system
    ) throws -> Enclave {
        let enclave = Enclave(stateFolder: folder.state, settings: .quick(clock, hash: hash), files: files)
        _ = try enclave.openStore(store, isEmpty: false)
        return enclave
    }

    private func attempt(
        _ enclave: Enclave, _ passcode: String = "wrong", from origin: PasscodeOrigin = .agent
    ) throws -> PasscodeReport { try enclave.passcode(UnlockStore(origin, in: store), passcode) }

    @Test func delaysGrow() throws {
        let (clock, evaluated) = (FakeBootClock(), Counter())
        let enclave = try start(clock, hash: .quick(evaluated))
        let delays: [UInt64] = [0, 0, 0, 0, 1, 5, 15, 15, 60, 60, 60].map { $0 * Self.minute }
        for (index, delay) in delays.enumerated() {
            let report = try attempt(enclave)
            #expect(report.outcome == .wrong && report.failures == UInt32(index + 1) && report.delay == delay)
            #expect(report.state == .beforeFirstUnlock)
            guard delay > 0 else { continue }
            // A delayed request checks no passcode, wrong or right, and does not count.
            clock.advance(by: delay - 1)
            for passcode in ["wrong", "right"] {
                let report = try attempt(enclave, passcode)
                #expect(report.outcome == .delayed && report.delay == 1 && report.failures == UInt32(index + 1))
            }
            clock.advance(by: 1)
        }
        #expect(evaluated.value == delays.count)
        let report = try attempt(enclave, "right")
        #expect(report.outcome == .done && report.failures == 0 && report.delay == 0)
        #expect(try attempt(enclave).delay == 0)
    }

    /// Every request that checks a passcode counts in the same counter.
    @Test func tenThousandWrongOnesGetNoFurther() throws {
        let (clock, evaluated) = (FakeBootClock(), Counter())
        var enclave: Enclave? = try start(clock, hash: .quick(evaluated))
        let programs = (0..<200).map { PasscodeOrigin.program(Bytes16(repeating: UInt8($0))) }
        for round in 0..<10_000 {
            // The custodian is killed and restarted from time to time.
            if round % 500 == 499 {
                enclave = nil
                enclave = try start(clock, hash: .quick(evaluated))
            }
            let origin = round.isMultiple(of: 3) ? .agent : programs[round % programs.count]
            let requests: [any EnclavePasscodeRequest] = [
                UnlockStore(origin, in: store), RemovePasscode(origin, in: store), MakeNewKeys(origin, in: store),
                ProveQuestion(RowContext.sample(store, .userPresence).question(in: .sample(1)), origin, in: store),
                ProvePolicy(.deviceOwnerAuthentication, .sample(1), origin, in: store),
                ProvePasscode(.sample(1), origin, in: store),
            ]
            let request = requests[round % requests.count]
            let report =
                round.isMultiple(of: 7)
                ? try enclave?.passcode(ChangePasscode(origin, in: store), "wrong", "another")
                : try enclave?.passcode(request, "wrong")
            #expect(report?.outcome == .wrong || report?.outcome == .delayed)
        }
        // The agent has five tries, and all programs together have twenty.
        #expect(evaluated.value == 25)
        clock.advance(by: Self.minute)
        let report = try #require(try enclave.map { try attempt($0, "right") })
        #expect(report.outcome == .done)
    }

    @Test func programsNeverDelayTheAgent() throws {
        let clock = FakeBootClock()
        let enclave = try start(clock)
        let (first, second) = (
            PasscodeOrigin.program(Bytes16(repeating: 1)), PasscodeOrigin.program(Bytes16(repeating: 2))
        )
        for _ in 0..<5 { #expect(try attempt(enclave, from: first).outcome == .wrong) }
        #expect(try attempt(enclave, from: first).outcome == .delayed)
        #expect(try enclave.status(of: store, for: first).delay == Self.minute)
        // Another program has its own count.
        #expect(try attempt(enclave, from: second).failures == 1)
        #expect(
            try enclave.status(of: store)
                == with(try enclave.status(of: store)) {
                    $0.failures = 0; $0.delay = 0
                })
        // Many programs share one count.
        for number in UInt8(3)..<17 {
            #expect(try attempt(enclave, from: .program(Bytes16(repeating: number))).outcome == .wrong)
        }
        let late = PasscodeOrigin.program(Bytes16(repeating: 99))
        let report = try attempt(enclave, from: late)
        #expect(report.outcome == .delayed && report.failures == 0 && report.delay == 60 * Self.minute)
        #expect(try attempt(enclave, from: second).outcome == .delayed)
        #expect(try attempt(enclave).outcome == .wrong)
        #expect(try attempt(enclave, "right").outcome == .done)
        // The right passcode resets all counts.
        #expect(try attempt(enclave, from: late).failures == 1)
        #expect(try attempt(enclave, "right", from: first).outcome == .done)
    }

    private func with(_ report: PasscodeReport, _ change: (inout PasscodeReport) -> Void) -> PasscodeReport {
        var report = report
        change(&report)
        return report
    }

    @Test func theListOfProgramsIsBounded() throws {
        let clock = FakeBootClock()
        let enclave = try start(clock)
        for number in UInt8(0)..<100 {
            #expect(try attempt(enclave, from: .program(Bytes16(repeating: number))).outcome == .wrong)
            clock.advance(by: 60 * Self.minute)
        }
        let counts = try #require(try enclave.keybag(of: store).tries.counts)
        #expect(counts.byProgram.count == TryCounts.maximumPrograms && counts.programs.failures == 100)
        #expect(TemporaryFolder.read(triesPath).count <= TriesFile.maximumBytes)
        // The file can be read as it was written.
        _ = enclave.answer(CloseStore(store))
        let folder = try StateFolder.open(self.folder.state + "/keybags", files: .system, lockAttempts: 1)
        #expect(try folder.read(TriesFile.name(of: store), limit: TriesFile.maximumBytes) != nil)
    }

    @Test func restartsShortenNothing() throws {
        let clock = FakeBootClock()
        do {
            let enclave = try start(clock)
            for _ in 0..<6 {
                clock.advance(by: Self.minute)
                _ = try attempt(enclave)
            }
        }
        clock.advance(by: 2 * Self.minute)
        // A restarted custodian continues the delay.
        do { #expect(try start(clock).status(of: store).delay == 3 * Self.minute) }
        // After a restart of the machine the clock says nothing about the time before, so the whole delay begins anew,
        // once.
        let later = FakeBootClock(boot: 2, at: 7_000_000)
        do { #expect(try start(later).status(of: store).delay == 5 * Self.minute) }
        later.advance(by: Self.minute)
        do {
            let enclave = try start(later)
            #expect(try enclave.status(of: store).delay == 4 * Self.minute)
            #expect(try attempt(enclave, "right").outcome == .delayed)
        }
        // A system without a boot identifier counts as restarted each time.
        later.advance(by: Self.minute)
        let nameless = FakeBootClock(boot: 0, at: 9_000_000)
        for _ in 0..<2 {
            nameless.advance(by: Self.minute)
            #expect(try start(nameless).status(of: store).delay == 5 * Self.minute)
        }
    }

    /// A clock behind the last failure is impossible, and is no reason to wait less.
    @Test func aTimeToComeIsNoReasonToWaitLess() throws {
        let clock = FakeBootClock(at: 100_000_000)
        do {
            let enclave = try start(clock)
            for _ in 0..<5 { _ = try attempt(enclave) }
        }
        #expect(try start(FakeBootClock(at: 5)).status(of: store).delay == Self.minute)
    }

    @Test(arguments: ["missing", "empty", "damaged", "cut", "too long", "of another keybag"])
    func whatIsNotThereWaitsLongest(how: String) throws {
        let good = TemporaryFolder.read(triesPath)
        try #require(good.count > 60)
        switch how {
        case "missing": unlink(triesPath)
        case "empty": TemporaryFolder.write(triesPath, [])
        case "damaged": TemporaryFolder.write(triesPath, good.dropLast() + [good[good.count - 1] ^ 1])
        case "cut": TemporaryFolder.write(triesPath, Array(good.dropLast(40)))
        case "too long": TemporaryFolder.write(triesPath, [UInt8](repeating: 0, count: 5000))
        default:
            let other = try TemporaryFolder()
            let enclave = Enclave(stateFolder: other.state, settings: .quick())
            _ = try enclave.openStore(store, isEmpty: true)
            _ = try enclave.passcode(SetPasscode(store), "right")
            TemporaryFolder.write(
                triesPath, TemporaryFolder.read(other.state + "/keybags/\(TriesFile.name(of: store))"))
        }
        let clock = FakeBootClock()
        for _ in 0..<2 {
            let enclave = try start(clock)
            let report = try attempt(enclave, "right")
            #expect(report.outcome == .delayed && report.delay == 60 * Self.minute && report.failures >= 9)
            #expect(try attempt(enclave, from: .program(Bytes16(repeating: 1))).delay == 60 * Self.minute)
        }
        clock.advance(by: 60 * Self.minute)
        let enclave = try start(clock)
        #expect(try attempt(enclave).delay == 60 * Self.minute)
        clock.advance(by: 60 * Self.minute)
        #expect(try attempt(enclave, "right").outcome == .done)
    }

    @Test func filesOpenToOthersAreRefused() throws {
        chmod(triesPath, 0o640)
        let enclave = try start(FakeBootClock())
        #expect(failure { _ = try attempt(enclave, "right") }?.status == .notAvailable)
        #expect(failure { _ = try enclave.status(of: store) }?.status == .notAvailable)
        // Rows that need no passcode are served.
        #expect(throws: Never.self) { try enclave.createRowKeys([.sample(store, .always)]) }
        chmod(triesPath, 0o600)
        #expect(try attempt(enclave, "right").outcome == .done)
    }

    @Test func aRunningCustodianKnowsBetter() throws {
        let clock = FakeBootClock()
        let enclave = try start(clock)
        let none = TemporaryFolder.read(triesPath)
        for round in 0..<12 {
            // Somebody puts the former file back after each try.
            TemporaryFolder.write(triesPath, none)
            _ = try attempt(enclave)
            if round == 2 { unlink(triesPath) }
            if round == 3 {
                _ = enclave.answer(CloseStore(store))
                TemporaryFolder.write(triesPath, none)
                _ = try enclave.openStore(store, isEmpty: false)
            }
        }
        #expect(try enclave.status(of: store).failures == 5)
        #expect(try enclave.status(of: store).delay == Self.minute)
        clock.advance(by: Self.minute)
        // The next try writes the state that the custodian knows.
        _ = try attempt(enclave)
        withExtendedLifetime(enclave) {}
        _ = enclave.answer(CloseStore(store))
        #expect(TemporaryFolder.read(triesPath) != none)
    }

    /// After a restart, a file that was put back is detected if the keybag was written since.
    @Test func aFileThatIsBehindTheKeybagWaitsLongest() throws {
        let clock = FakeBootClock()
        let none = TemporaryFolder.read(triesPath)
        do {
            let enclave = try start(clock)
            _ = try attempt(enclave)
            _ = try enclave.metadataKeyForSealing(.always, in: store)
        }
        let behind = TemporaryFolder.read(triesPath)
        TemporaryFolder.write(triesPath, none)
        do { #expect(try start(clock).status(of: store).delay == 60 * Self.minute) }
        TemporaryFolder.write(triesPath, behind)
        // A file that is only behind changes unknown to the keybag is not detected; THREAT-MODEL.md says so.
        do {
            let enclave = try start(clock)
            #expect(try attempt(enclave).failures == 2)
        }
        TemporaryFolder.write(triesPath, behind)
        #expect(try start(clock).status(of: store).failures == 1)
    }

    /// A number that is given twice would later look like a file that was put back.
    @Test func aRightTryThatCannotBeWrittenKeepsTheNumber() throws {
        let isFull = Mutex(false)
        let fillsUp = Mutex(false)
        var files = FileCalls.system
        files.write = { file, bytes throws(Errno) in
            if isFull.withLock({ $0 }) { throw .noSpace }
            return try FileCalls.system.write(file, bytes)
        }
        var hash = PasswordHash.quick()
        hash.derive = { passcode, salt, parameters throws(KeychainError) in
            if fillsUp.withLock({ $0 }) { isFull.withLock { $0 = true } }
            return try PasswordHash.quick().derive(passcode, salt, parameters)
        }
        let clock = FakeBootClock()
        do {
            let enclave = try start(clock, hash: hash, files: files)
            for _ in 0..<3 { _ = try attempt(enclave) }
            // The keybag records the number.
            _ = try enclave.metadataKeyForSealing(.always, in: store)
            fillsUp.withLock { $0 = true }
            #expect(try attempt(enclave, "right").outcome == .done)
            isFull.withLock { $0 = false }
            fillsUp.withLock { $0 = false }
            _ = enclave.answer(CloseStore(store))
            _ = try enclave.openStore(store, isEmpty: false)
            #expect(try attempt(enclave).outcome == .wrong)
        }
        let report = try start(clock).status(of: store)
        #expect(report.failures == 1 && report.delay == 0)
    }

    @Test func noTryIsLookedAtBeforeItIsCounted() throws {
        let evaluated = Counter()
        let isFull = Mutex(false)
        var files = FileCalls.system
        files.write = { file, bytes throws(Errno) in
            if isFull.withLock({ $0 }) { throw .noSpace }
            return try FileCalls.system.write(file, bytes)
        }
        let enclave = try start(FakeBootClock(), hash: .quick(evaluated), files: files)
        isFull.withLock { $0 = true }
        for _ in 0..<20 { #expect(failure { _ = try attempt(enclave, "right") }?.cause == .full) }
        #expect(evaluated.value == 0)
        isFull.withLock { $0 = false }
        #expect(try attempt(enclave, "right").outcome == .done)
    }

    @Test func whatCouldNotBeLookedAtDoesNotCount() throws {
        let isShort = Mutex(true)
        var hash = PasswordHash.quick()
        hash.derive = { passcode, salt, parameters throws(KeychainError) in
            if isShort.withLock({ $0 }) { throw KeychainError(cause: .memory, "no memory") }
            return try PasswordHash.quick().derive(passcode, salt, parameters)
        }
        let enclave = try start(FakeBootClock(), hash: hash)
        for _ in 0..<20 { #expect(failure { _ = try attempt(enclave, "right") }?.status == .allocate) }
        #expect(try enclave.status(of: store).failures == 0)
        isShort.withLock { $0 = false }
        #expect(try attempt(enclave, "right").outcome == .done)
    }
}
