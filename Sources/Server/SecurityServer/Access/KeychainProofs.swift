import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import FileKeychains
import StoreEngine
import Synchronization

/// How a person gives an item of a file keychain: by an answer, and by the keychain's password or the passcode.
///
/// A program can click in its own terminal, and under X11 anywhere. So no click gives anything.
package struct KeychainAccessProof: Sendable {
    /// Whether the answer may hold for longer than this use (``PersonAnswer/allowed``).
    private(set) var mayBeRemembered: Bool
    /// Whether it may be about every item that lists the former program (``PersonAnswer/allowedEverywhere``).
    private(set) var isAboutChange: Bool
    /// Whether the passcode does as well as the keychain's password.
    let takesPasscode: Bool
    let taking: any PasscodeChecking

    /// - Parameter isForOneUse: whether an answer for longer would give more than what is asked for.
    init(_ question: ACLQuestion, isForOneUse: Bool = false, takesPasscode: Bool, taking: any PasscodeChecking) {
        mayBeRemembered = question.mayBeRemembered && !isForOneUse
        isAboutChange =
            if case .changed = question.reason { question.mayBeRemembered && !isForOneUse } else { false }
        self.takesPasscode = takesPasscode && !question.needsKeychainPassword
        self.taking = taking
    }

    /// The same for one use and no longer.
    var forOneUse: KeychainAccessProof {
        var proof = self
        (proof.mayBeRemembered, proof.isAboutChange) = (false, false)
        return proof
    }

    /// - Parameter store: whose passcode does as well, where there is one and the item's entry does not want the keychain's password.
    init(
        _ question: ACLQuestion, isForOneUse: Bool = false, about path: KeychainPath,
        in keychains: FileKeychainRegistry,
        orPasscodeOf store: StoreIdentifier?, _ enclave: EnclaveConnection
    ) throws(KeychainError) {
        var keybag = question.needsKeychainPassword ? nil : store
        if let store = keybag, try !enclave.passcodeReport(for: .agent, in: store).hasPasscode { keybag = nil }
        self.init(
            question, isForOneUse: isForOneUse, takesPasscode: keybag != nil,
            taking: KeychainSecretChecking(keychains: keychains, path: path, keybag: keybag))
    }
}

/// Looks at what may be the password of a file keychain, or the passcode.
final class KeychainSecretChecking: PasscodeChecking {
    private let keychains: FileKeychainRegistry
    private let path: KeychainPath
    /// Whose passcode it may be.
    private let keybag: StoreIdentifier?
    private let passcode = Atomic(false)

    init(keychains: FileKeychainRegistry, path: KeychainPath, keybag: StoreIdentifier?) {
        self.keychains = keychains
        self.path = path
        self.keybag = keybag
    }

    package var wasPasscode: Bool { passcode.load(ordering: .acquiring) }

    func standing() -> PasscodeStanding { PasscodeStanding() }

    func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
        let report = try keychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
            try keychain.verify(pipe, orPasscodeOf: keybag, from: .agent)
        }
        passcode.store(report.outcome == .done && report.isPasscode, ordering: .releasing)
        return PasscodeVerdict(report)
    }
}

/// Unlocks a file keychain by what was typed. The request that needs it is tried again then, and finds it open.
package struct KeychainUnlockProof: PasscodeChecking {
    let keychains: FileKeychainRegistry
    let path: KeychainPath
    /// The process whose request it is; the dialog has a thread of its own.
    var pid: Int32 = 0
    /// Its file, where it lies elsewhere: a person may take longer than a slot keeps it.
    var lent: LentFile?

    package func standing() -> PasscodeStanding { PasscodeStanding() }

    package func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
        PasscodeVerdict(
            try Originator.being(pid) { () throws(KeychainError) in
                try keychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
                    if let lent { keychain.lend(lent) }
                    return try keychain.unlock(password: pipe, from: .agent)
                }
            })
    }
}

extension PersonQuestion {
    /// For the password of a locked keychain.
    init(
        unlocking keychain: FileKeychainSlot, for caller: Caller, in keychains: FileKeychainRegistry,
        _ prompt: OperationPrompt? = nil
    ) throws(KeychainError) {
        let lent = try keychain.requiredFile()
        self.init(
            caller: caller.identity, keychain: KeychainName(of: try keychain.identifier()),
            subject: .unlockKeychain(keychain.path),
            proof: .unlock(
                KeychainUnlockProof(keychains: keychains, path: keychain.path, pid: caller.identity.pid, lent: lent)),
            reason: prompt?.text)
    }
}

extension PasscodeVerdict {
    /// What the custodian said of the password of a file keychain.
    fileprivate init(_ report: KeychainReport) {
        var standing = PasscodeStanding()
        let tries = EnclaveWire.triesBeforeDelay
        standing.triesLeft = report.failures < tries ? tries - report.failures : nil
        standing.delay = report.delay
        self =
            switch report.outcome {
            case .done: .right
            case .wrong: .wrong(standing)
            case .delayed: .delayed(standing)
            }
    }
}
