import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import FileKeychains
import StoreEngine
import Synchronization

/// How a person grants a use of an item of a file keychain: by an answer, together with the keychain's password or the
/// passcode.
///
/// A program can click in its own terminal, and under X11 anywhere. So no click grants anything.
package struct KeychainAccessProof: Sendable {
    /// Whether the answer may hold for longer than this use (``PersonAnswer/allowed``).
    private(set) var mayBeRemembered: Bool
    /// Whether the answer may cover every item that lists the former program (``PersonAnswer/allowedEverywhere``).
    private(set) var isAboutChange: Bool
    /// Whether the passcode is accepted instead of the keychain's password.
    let takesPasscode: Bool
    let taking: any PasscodeChecking
    let keychain: KeychainPath

    /// Makes a proof for one question.
    ///
    /// - Parameter isForOneUse: whether a lasting answer would grant more than what is asked for.
    init(
        _ question: ACLQuestion, isForOneUse: Bool = false, about path: KeychainPath, takesPasscode: Bool,
        taking: any PasscodeChecking
    ) {
        keychain = path
        mayBeRemembered = question.mayBeRemembered && !isForOneUse
        isAboutChange = question.reason == .changed && mayBeRemembered
        self.takesPasscode = takesPasscode && !question.needsKeychainPassword
        self.taking = taking
    }

    /// The proof, limited to one use.
    var forOneUse: KeychainAccessProof {
        var proof = self
        (proof.mayBeRemembered, proof.isAboutChange) = (false, false)
        return proof
    }

    /// Makes a proof that the custodian checks.
    ///
    /// - Parameter store: the store whose passcode is accepted too. That needs an existing passcode, and an entry of
    ///   the item that does not require the keychain's password.
    init(
        _ question: ACLQuestion, isForOneUse: Bool = false, about path: KeychainPath,
        in keychains: FileKeychainRegistry,
        orPasscodeOf store: StoreIdentifier?, _ enclave: EnclaveConnection
    ) throws(KeychainError) {
        var keybag = question.needsKeychainPassword ? nil : store
        if let store = keybag, try !enclave.passcodeReport(for: .agent, in: store).hasPasscode { keybag = nil }
        self.init(
            question, isForOneUse: isForOneUse, about: path, takesPasscode: keybag != nil,
            taking: KeychainSecretChecking(keychains: keychains, path: path, keybag: keybag))
    }
}

/// Checks a typed secret that may be the password of a file keychain or the passcode.
final class KeychainSecretChecking: PasscodeChecking {
    private let keychains: FileKeychainRegistry
    private let path: KeychainPath
    /// The store whose passcode is accepted too.
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

/// Unlocks a file keychain with the typed password.
///
/// The request is then tried again, and finds the keychain open.
package struct KeychainUnlockProof: PasscodeChecking {
    let keychains: FileKeychainRegistry
    let path: KeychainPath
    /// The process that made the request.
    ///
    /// It is stored, since the dialog has a thread of its own.
    var pid: Int32 = 0
    /// The file of a keychain that is kept elsewhere.
    ///
    /// A person may take longer than a slot keeps the file.
    var lent: LentFile?

    /// Whether the keychain is open by now, so that any password would be taken for the right one.
    var isUnlocked: Bool {
        let state = try? keychains.withKeychain(at: path) { (keychain) throws(KeychainError) in try keychain.state() }
        return state?.isUnlocked ?? false
    }

    package func standing() -> PasscodeStanding { PasscodeStanding() }

    package func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
        PasscodeVerdict(
            try Originator.serving(pid) { () throws(KeychainError) in
                try keychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
                    if let lent { keychain.lend(lent) }
                    return try keychain.unlock(password: pipe, from: .agent)
                }
            })
    }
}

extension PersonQuestion {
    /// A question for the password of a locked keychain.
    init(
        unlocking keychain: FileKeychainSlot, for caller: Caller, in keychains: FileKeychainRegistry,
        _ prompt: OperationPrompt? = nil
    ) throws(KeychainError) {
        let lent = try keychain.requiredFile()
        self.init(
            caller: caller.identity, keychain: KeychainName(of: try keychain.identifier()),
            subject: LockedKeychain(path: keychain.path),
            proof: .unlock(
                KeychainUnlockProof(keychains: keychains, path: keychain.path, pid: caller.identity.pid, lent: lent)),
            reason: prompt?.text)
    }
}

extension PasscodeVerdict {
    /// The custodian's verdict on the password of a file keychain.
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
