import ChatelaineModel
import EnclaveProtocol

/// Carries out requests about the passcode of a keybag, and about the keys and signatures that it protects.
enum PasscodeRequests {
    static let routes: [EnclaveRoute] = [
        .init(status),
        .init(passcode: set),
        .init(passcode: change),
        .init(passcode: remove),
        .init(passcode: verify),
        .init(passcode: unlock),
        .init(lock),
        .init(passcode: makeNewKeys),
        .init(destroyKeys),
        .init(passcode: endorse),
        .init(checkEndorsement),
    ]

    static func status(_ request: ReadPasscodeStatus, _ enclave: Enclave) throws(KeychainError) -> PasscodeReport {
        let keybag = try enclave.keybag(of: request.store)
        if keybag.tries.counts == nil {
            try enclave.passcodeTurn.withLock { _ throws(KeychainError) in try keybag.loadTries() }
        }
        return keybag.report(for: request.origin)
    }

    static func set(_ request: SetPasscode, _ turn: PasscodeTurn) throws(KeychainError) -> PasscodeReport {
        turn.enclave.notePasscode()
        try turn.keybag.setPasscode(turn.passcodes[0])
        return turn.report(.done)
    }

    static func change(_ request: ChangePasscode, _ turn: PasscodeTurn) throws(KeychainError) -> PasscodeReport {
        turn.report(try turn.keybag.changePasscode(turn.passcodes[0], to: turn.passcodes[1], from: turn.origin))
    }

    static func remove(_ request: RemovePasscode, _ turn: PasscodeTurn) throws(KeychainError) -> PasscodeReport {
        turn.report(try turn.keybag.removePasscode(turn.passcodes[0], from: turn.origin))
    }

    static func verify(_ request: VerifyPasscode, _ turn: PasscodeTurn) throws(KeychainError) -> PasscodeReport {
        turn.report(try turn.keybag.verifyPasscode(turn.passcodes[0], from: turn.origin))
    }

    static func unlock(_ request: UnlockStore, _ turn: PasscodeTurn) throws(KeychainError) -> PasscodeReport {
        turn.report(try turn.keybag.unlock(turn.passcodes[0], from: turn.origin, lockings: turn.lockings))
    }

    static func lock(_ request: LockStore, _ enclave: Enclave) throws(KeychainError) -> Done {
        try enclave.keybag(of: request.store).lock()
        enclave.settings.keyWorkers.forgetKeys()
        return Done()
    }

    static func makeNewKeys(_ request: MakeNewKeys, _ turn: PasscodeTurn) throws(KeychainError) -> PasscodeReport {
        turn.report(try turn.keybag.newKeys(turn.passcodes[0], from: turn.origin))
    }

    static func destroyKeys(_ request: DestroyKeys, _ enclave: Enclave) throws(KeychainError) -> Done {
        try enclave.keybag(of: request.store).destroyKeys(request.ids)
        return Done()
    }

    static func endorse(_ request: EndorseRecords, _ turn: PasscodeTurn) throws(KeychainError) -> PasscodeReport {
        let (outcome, endorsement) = try turn.keybag.endorse(request.digest, turn.passcodes[0], from: turn.origin)
        var report = turn.report(outcome)
        report.endorsement = endorsement
        return report
    }

    static func checkEndorsement(
        _ request: CheckEndorsement, _ enclave: Enclave
    ) throws(KeychainError) -> CheckEndorsement.Reply {
        CheckEndorsement.Reply(
            isEndorsed: try enclave.keybag(of: request.store).isEndorsed(
                request.digest, by: request.endorsement, haveTrust: request.haveTrust))
    }
}
