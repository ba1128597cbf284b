import ChatelaineModel
import EnclaveProtocol
import Sealing
import TestSupport
import Testing

@testable import SecurityServer

/// A user proves their presence for a policy, with the real enclaved, which has no reader here.
@Suite struct PolicyProofTests {
    private let home: ConstraintHome
    private let context: AuthenticationContext
    private let reference: ContextReference

    init() throws {
        home = try ConstraintHome()
        context = AuthenticationContext(home.enclave)
        reference = ContextReference(number: context.number, principal: Bytes16(repeating: 5))
    }

    @Test func thePasscodeStandsForPresence() throws {
        let question = AccessQuestion(
            KeyUse(reference, for: .decrypt), ConstraintHome.constraints(.userPresence),
            groupDigest: Bytes16(repeating: 3))
        let taking = QuestionChecking(
            home.enclave, .policy(.deviceOwnerAuthentication, reference), in: home.store, noting: context)
        let (wrong, right) = (try TestPipe(Array("wrong".utf8)), try TestPipe(Array(ConstraintHome.passcode.utf8)))
        guard case .wrong = try taking.check(wrong.reading) else { throw SystemError("a wrong one is right") }
        #expect(try home.enclave.evaluate(question, in: home.store) == .needs([.passcode]))
        guard case .right = try taking.check(right.reading) else { throw SystemError("the right one is wrong") }
        #expect(try home.enclave.evaluate(question, in: home.store) == .satisfied)
        context.end()
        #expect(try home.enclave.evaluate(question, in: home.store) == .needs([.passcode]))
    }

    /// Without a reader nobody waits, and a caller that gives up ends only the wait.
    @Test func aFingerThatCannotBe() throws {
        let finger = QuestionMatching(
            home.enclave, .policy(.deviceOwnerAuthenticationWithBiometrics, reference), in: home.store, noting: context)
        let pid = home.enclave.pid
        #expect(try finger.match(until: MatchCancellation()).outcome == .unavailable)
        let stopped = MatchCancellation()
        stopped.stop()
        #expect(try finger.match(until: stopped).outcome == .withdrawn)
        #expect(home.enclave.pid == pid)
        context.end()
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try finger.match(until: MatchCancellation()) }
    }
}
