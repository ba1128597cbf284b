import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import TestSupport
import Testing

@testable import Enclave

/// The password of a file keychain can be tried only so often.
@Suite struct KeychainTriesTests {
    private static let minute = FakeBootClock.minute
    private let folder: TemporaryFolder
    private let clock = FakeBootClock()
    private let evaluated = Counter()
    private let enclave: Enclave
    private let store = StoreIdentifier()
    private let header: KeychainHeader

    init() throws {
        folder = try TemporaryFolder()
        // The header is made elsewhere, so that the counter counts only checks of passwords.
        header = try Enclave(stateFolder: folder.path + "/x", settings: .quick()).createKeychain(store)
        enclave = Enclave(stateFolder: folder.state, settings: .quick(clock, hash: .quick(evaluated)))
    }

    @Test func delaysGrow() throws {
        let delays: [UInt64] = [0, 0, 0, 0, 1, 5, 15, 15, 60, 60].map { $0 * Self.minute }
        for (index, delay) in delays.enumerated() {
            let report = try enclave.unlock(header, "wrong")
            #expect(report.outcome == .wrong && report.failures == UInt32(index + 1) && report.delay == delay)
            guard delay > 0 else { continue }
            clock.advance(by: delay - 1)
            // A delayed request checks no password, wrong or right, and does not count.
            for report in [
                try enclave.unlock(header, "wrong"), try enclave.unlock(header), try enclave.verify(header, "right"),
                try enclave.changePassword(header, "right", to: "new"),
            ] {
                #expect(report.outcome == .delayed && report.delay == 1 && report.failures == UInt32(index + 1))
                #expect(report.header == nil)
            }
            // Locking and other keychains do not reset the delay.
            try enclave.closeStore(store)
            clock.advance(by: 1)
        }
        #expect(evaluated.value == delays.count)
        #expect(try !enclave.isUnlocked(store))
        #expect(try enclave.unlock(header).failures == 0)
        #expect(try enclave.unlock(header, "wrong").delay == 0)
    }

    @Test func originsAndKeychainsAreCountedApart() throws {
        let (one, two) = (PasscodeOrigin.program(Bytes16(repeating: 1)), PasscodeOrigin.program(Bytes16(repeating: 2)))
        for _ in 0..<5 { _ = try enclave.unlock(header, "wrong", from: one) }
        #expect(try enclave.unlock(header, from: one).outcome == .delayed)
        #expect(try enclave.unlock(header, "wrong", from: two).failures == 1)
        #expect(try enclave.unlock(header, "wrong").failures == 1)
        let other = try enclave.createKeychain(StoreIdentifier())
        #expect(try enclave.unlock(other, from: one).outcome == .done)
        #expect(try enclave.unlock(header, from: one).outcome == .delayed)
        // All programs together have twenty tries.
        for number in UInt8(3)..<17 {
            #expect(try enclave.unlock(header, "wrong", from: .program(Bytes16(repeating: number))).outcome == .wrong)
        }
        #expect(try enclave.unlock(header, from: .program(Bytes16(repeating: 99))).outcome == .delayed)
        #expect(try enclave.unlock(header).outcome == .done)
        #expect(try enclave.unlock(header, from: one).outcome == .done)
    }

    /// A forged header with the same identifier and a known password does not reset the tries.
    ///
    /// A changed header gives no more tries either: a guess at the true one is a guess at its check value.
    @Test func otherHeadersOfTheStoreSetNothingBack() throws {
        let forged = try Enclave(stateFolder: folder.path + "/y", settings: .quick()).createKeychain(store, "theirs")
        for _ in 0..<5 { _ = try enclave.unlock(header, "wrong") }
        #expect(try enclave.verify(forged, "theirs").outcome == .done)
        #expect(try enclave.unlock(header).outcome == .delayed)
        for changed in [
            try header.with(indexSalt: .random()), try header.with(wrappedKey: forged.wrappedKey),
            try header.with(salt: .random()), try header.with(parameters: .most),
        ] {
            #expect(try enclave.unlock(changed).outcome == .delayed)
        }
    }

    @Test func whatFailedLongestAgoIsForgotten() throws {
        var tries = KeychainTries()
        func target(_ number: Int) throws -> KeychainTries.Target {
            var check = [UInt8](repeating: 0, count: 32)
            (check[0], check[1]) = (UInt8(number & 0xFF), UInt8(number >> 8))
            return KeychainTries.Target(try header.with(check: check))
        }
        for number in 0..<KeychainTries.maximumTargets {
            tries.fail(try target(number), from: .agent, clock: clock.clock)
        }
        tries.fail(try target(0), from: .agent, clock: clock.clock)
        tries.fail(try target(5000), from: .agent, clock: clock.clock)
        #expect(tries.count == KeychainTries.maximumTargets)
        #expect(try tries.failures(of: target(0), from: .agent) == 2)
        #expect(try tries.failures(of: target(1), from: .agent) == 0)
        #expect(try tries.failures(of: target(2), from: .agent) == 1)
        tries.succeed(try target(2))
        #expect(tries.count == KeychainTries.maximumTargets - 1)
    }

    /// A password that could not be checked does not count as a try.
    @Test func withoutMemoryNothingIsCounted() throws {
        let hasMemory = Flag()
        let quick = PasswordHash.quick()
        let hash = PasswordHash(
            derive: { password, salt, parameters throws(KeychainError) in
                if !hasMemory.isRaised { throw KeychainError(cause: .memory, "none") }
                return try quick.derive(password, salt, parameters)
            }, processorTime: { 0 })
        let enclave = Enclave(stateFolder: folder.state, settings: .quick(clock, hash: hash))
        for _ in 0..<6 { #expect(failure { _ = try enclave.unlock(header, "wrong") }?.status == .allocate) }
        #expect(failure { _ = try enclave.createKeychain(StoreIdentifier()) }?.status == .allocate)
        hasMemory.raise()
        #expect(try enclave.unlock(header).outcome == .done)
    }

    /// A dialog takes the password or the passcode.
    ///
    /// A secret that is neither counts once as a wrong try at both. A secret that is one of them does not count at the
    /// other.
    @Test func aPasswordOrThePasscode() throws {
        let keybag = StoreIdentifier()
        _ = enclave.answer(OpenStore(keybag, isEmpty: true))
        func verify(_ secret: String, _ header: KeychainHeader? = nil) throws -> KeychainReport {
            let header = header ?? self.header
            return try enclave.keychain(
                VerifyKeychainSecret(header, .agent, orPasscodeOf: keybag, in: header.store), Array(secret.utf8))
        }
        // Without a passcode only the password counts.
        #expect(try verify("right").outcome == .done)
        #expect(try verify("code").failures == 1)
        #expect(try enclave.passcode(SetPasscode(keybag), "code").outcome == .done)
        #expect(try verify("code").outcome == .done)
        #expect(
            try enclave.verify(header, "wrong").failures == 2, "the passcode is no wrong password, and no right one")
        for secret in ["right", "code"] {
            #expect(try verify("neither").outcome == .wrong)
            #expect(try enclave.status(of: keybag).failures == 1)
            let report = try verify(secret)
            #expect(report.outcome == .done && report.isPasscode == (secret == "code"))
            _ = try enclave.passcode(VerifyPasscode(.agent, in: keybag), "code")
        }
        #expect(try enclave.verify(header, "right").outcome == .done)
        #expect(try !enclave.isUnlocked(store))
        // Another keychain gives nobody more tries at the passcode.
        for _ in 0..<4 { #expect(try verify("neither", try enclave.createKeychain(StoreIdentifier())).delay == 0) }
        #expect(try verify("neither").outcome == .wrong)
        let others = try enclave.createKeychain(StoreIdentifier(), "known")
        #expect(try enclave.status(of: keybag).delay == Self.minute)
        #expect(try verify("code", others).outcome == .wrong, "not looked at as a passcode")
        #expect(try enclave.status(of: keybag).failures == 5)
        // While the passcode is delayed the password is still checked, and the other way round.
        #expect(try verify("known", others).outcome == .done)
        for _ in 0..<5 { _ = try enclave.verify(header, "wrong") }
        let delayed = try verify("right")
        #expect(delayed.outcome == .delayed && delayed.delay == Self.minute && evaluated.value > 0)
        clock.advance(by: Self.minute)
        #expect(try verify("code").outcome == .done)
        #expect(throws: KeychainError.self) {
            try enclave.keychain(
                VerifyKeychainSecret(header, .agent, orPasscodeOf: StoreIdentifier(), in: store), Array("right".utf8))
        }
    }
}
