import AgentProtocol
import ChatelaineModel

/// How a person answers a question.
package enum PersonProof: Sendable {
    /// A button, which is no proof of presence.
    ///
    /// In a terminal, which belongs to the calling program, the passcode is typed instead.
    case consent
    /// The passcode, or a finger where one is waited for at the same time.
    ///
    /// `taking` checks the passcode. Where it is nil, the passcode unlocks the custodian as a whole.
    case passcode(taking: (any PasscodeChecking)?, orFinger: (any FingerMatching)? = nil)
    /// A finger on the reader, and nothing else.
    case finger(any FingerMatching)
    /// The item's own password, which `taking` checks; a new password is asked for twice.
    case password(isNew: Bool, taking: any PasscodeChecking)
    /// One of three answers about a changed program, and the passcode where there is one.
    ///
    /// `taking` checks the passcode for the widest answer.
    case admission(taking: any PasscodeChecking)
    /// One of several answers about an item of a file keychain.
    ///
    /// None of them counts before a secret was typed.
    case keychainAccess(KeychainAccessProof)
    /// The password of a file keychain, which opens it.
    case unlock(KeychainUnlockProof)
}

extension PersonProof {
    /// What the rest of the daemon has to know about a proof.
    struct Terms {
        /// The first dialog.
        let kind: DialogKind
        /// Checks what is typed; nil for the passcode that unlocks the custodian as a whole.
        var checking: (any PasscodeChecking)?
        /// The secrets of which a wrong answer counts as a try (``DialogTries``).
        ///
        /// Nobody counts tries at a new password, at a program's own, or at the passphrase of a file.
        var tried: [DialogTries.Secret] = []
        /// Whether a touch of the reader is an answer.
        var hasReader = false
        /// Whether it shows that the person is there, which Apple calls an authentication.
        var isAuthentication = false
        /// Whether the answer itself counts.
        ///
        /// For every other proof the custodian relies on its own knowledge, not on an answer.
        var isRemembered = false
    }

    /// The one place that goes through all proofs.
    var terms: Terms {
        switch self {
        case .consent: Terms(kind: .consent, tried: [.passcode], isRemembered: true)
        case .passcode(let checking, let finger):
            Terms(
                kind: .passcode, checking: checking, tried: [.passcode], hasReader: finger != nil,
                isAuthentication: true, isRemembered: checking == nil && finger == nil)
        case .finger: Terms(kind: .touch, hasReader: true, isAuthentication: true)
        case .password(let isNew, let checking):
            Terms(kind: isNew ? .newPassword : .password, checking: checking, isAuthentication: true)
        case .admission: Terms(kind: .changedProgram, tried: [.passcode])
        case .keychainAccess(let proof):
            Terms(
                kind: .keychainAccess, checking: proof.taking,
                tried: [.keychain(proof.keychain)] + (proof.takesPasscode ? [.passcode] : []), isRemembered: true)
        case .unlock(let proof): Terms(kind: .password, checking: proof, tried: [.keychain(proof.path)])
        }
    }

    /// Whether there is nothing left to prove, since the keychain was opened otherwise.
    var isSettled: Bool { if case .unlock(let proof) = self { proof.isUnlocked } else { false } }
}
