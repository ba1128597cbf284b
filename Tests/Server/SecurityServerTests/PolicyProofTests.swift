import ChatelaineModel
import EnclaveProtocol
import Sealing
import TestSupport
import Testing

@testable import SecurityServer

/// What somebody shows for a policy, with the real enclaved, which has no reader here.
@Suite struct PolicyProofTests {
    private let home: ConstraintHome
    private let context: AuthenticationContext
    private let reference: ContextReference

    init() throws {
        home = try ConstraintHome()
        context = AuthenticationContext(home.enclave)
        reference = ContextReference(number: context.number, principal: Bytes16(repeating: 5))
    }

    private func proof(_ policy: AuthenticationPolicy, _ report: BiometryReport) throws -> PersonProof {
        try PersonProof.policy(
            policy, reference, noting: context, in: home.store, of: home.enclave, report)
    }

    @Test func whatAPolicyTakes() throws {
        let none = try home.enclave.biometryReport(in: home.store)
        #expect(none == BiometryReport(.notAvailable))
        let ready = BiometryReport(.ready, kind: .fingerprint, enrolledSet: Bytes16(repeating: 1))
        guard case .passcode(_?, nil) = try proof(.deviceOwnerAuthentication, none) else {
            throw SystemError("a finger without a reader")
        }
        guard case .passcode(_?, _?) = try proof(.deviceOwnerAuthentication, ready),
            case .finger = try proof(.deviceOwnerAuthenticationWithBiometrics, ready)
        else { throw SystemError("no finger in spite of a reader") }
        for availability in [BiometryAvailability.notAvailable, .notEnrolled, .lockedOut] {
            #expect(throws: KeychainError(.authFailed, "")) {
                try proof(.deviceOwnerAuthenticationWithBiometrics, BiometryReport(availability))
            }
        }
    }

    @Test func thePasscodeStandsForPresence() throws {
        let question = AccessQuestion(
            KeyUse(reference, for: .decrypt), ConstraintHome.constraints(.userPresence),
            groupDigest: Bytes16(repeating: 3))
        guard case .passcode(let taking?, _) = try proof(.deviceOwnerAuthentication, BiometryReport(.notAvailable))
        else { throw SystemError("another proof") }
        let (wrong, right) = (try TestPipe(Array("wrong".utf8)), try TestPipe(Array(ConstraintHome.passcode.utf8)))
        guard case .wrong = try taking.check(wrong.reading) else { throw SystemError("a wrong one is right") }
        #expect(try home.enclave.evaluate(question, in: home.store) == .needs([.passcode]))
        guard case .right = try taking.check(right.reading) else { throw SystemError("the right one is wrong") }
        #expect(try home.enclave.evaluate(question, in: home.store) == .satisfied)
        context.end()
        #expect(try home.enclave.evaluate(question, in: home.store) == .needs([.passcode]))
    }

    /// Nobody waits for what is not there, and who gives up ends nothing but the wait.
    @Test func aFingerThatCannotBe() throws {
        guard
            case .finger(let finger) = try proof(
                .deviceOwnerAuthenticationWithBiometrics, BiometryReport(.ready, kind: .fingerprint))
        else { throw SystemError("another proof") }
        let pid = home.enclave.pid
        #expect(try finger.match(until: MatchStop()).outcome == .unavailable)
        let stopped = MatchStop()
        stopped.stop()
        #expect(try finger.match(until: stopped).outcome == .withdrawn)
        #expect(home.enclave.pid == pid)
        context.end()
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try finger.match(until: MatchStop()) }
    }
}
