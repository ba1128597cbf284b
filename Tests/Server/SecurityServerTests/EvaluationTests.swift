import ChatelaineIPC
import ChatelaineModel
import Testing

@testable import SecurityServer

/// Tests of evaluations that a program asks for beforehand, with the real enclaved and nobody to ask.
@Suite struct EvaluationTests {
    private let home: ConstraintHome
    private let connection: TestConnection
    private let authentication: ConnectionAuthentication

    init() throws {
        home = try ConstraintHome()
        connection = try TestConnection()
        authentication = ConnectionAuthentication(home.enclave)
    }

    private static func question(asks: Bool) -> AuthenticationQuestion {
        AuthenticationQuestion(reason: OperationPrompt("test"), allowsInteraction: asks)
    }

    private func carryOut<Message: RequestMessage>(
        _ request: Message, _ body: (Message, inout RequestContext) throws(KeychainError) -> AuthenticationOutcome
    ) throws -> AuthenticationOutcome {
        var context = RequestContext(
            services: home.services, slot: connection.slot, channel: connection.server,
            frame: UnsafeRawBufferPointer(start: nil, count: 0), authentication: authentication
        ) { () throws(KeychainError) -> Caller in WaitingHome.caller() }
        defer { context.release() }
        try context.prepare(for: request)
        defer { context.leaveKeychain() }
        return try body(request, &context)
    }

    private func outcome(
        _ use: AccessControlUse, of flags: AccessControlFlags, asks: Bool = false
    ) throws -> AuthenticationOutcome {
        try carryOut(
            EvaluateAccessControl(try AccessConstraints(flags), for: use, Self.question(asks: asks)),
            AuthenticationHandler.evaluateAccessControl)
    }

    /// What a person would have to show for is what the use of the key asks for.
    @Test func usesOfAPrivateKey() throws {
        let key: AccessControlFlags = [.privateKeyUsage, .userPresence]
        for use in [AccessControlUse.useKeySign, .useKeyDecrypt, .useKeyKeyExchange] {
            #expect(try outcome(use, of: key) == .notInteractive, "\(use)")
            #expect(try outcome(use, of: .privateKeyUsage) == .satisfied, "\(use)")
        }
        // Any program may make a key, and store one.
        for use in [AccessControlUse.createKey, .createItem] { #expect(try outcome(use, of: key) == .satisfied) }
        #expect(try outcome(.useItem, of: key) == .impossible, "no item has such an access control")
        // An access control without private keys is that of a password.
        #expect(try outcome(.useKeyDecrypt, of: .userPresence) == .notInteractive)
        #expect(try outcome(.createKey, of: .userPresence) == .satisfied)
        #expect(try outcome(.createKey, of: .applicationPassword) == .notInteractive)
    }

    /// An evaluation that asks nobody may come on a connection that other calls share.
    @Test func whatAsksNobodyBeginsNoContext() throws {
        for asks in [false, true] {
            let policy = EvaluatePolicy(.deviceOwnerAuthentication, Self.question(asks: asks))
            if asks {
                #expect(throws: KeychainError(.interactionNotAllowed, "")) {
                    try carryOut(policy, AuthenticationHandler.evaluatePolicy)
                }
            } else {
                #expect(try carryOut(policy, AuthenticationHandler.evaluatePolicy) == .notInteractive)
                #expect(try outcome(.useItem, of: .userPresence) == .notInteractive)
            }
            #expect((authentication.context != nil) == asks)
        }
    }
}
