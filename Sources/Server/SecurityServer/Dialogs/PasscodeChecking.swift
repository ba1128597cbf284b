import ChatelaineModel
import EnclaveProtocol
import ItemStore
import StoreEngine

/// Checks a secret that was typed in a dialog.
///
/// As a rule the key custodian does, which gets it by a pipe.
package protocol PasscodeChecking: Sendable {
    /// The state before anything is typed.
    func standing() throws(KeychainError) -> PasscodeStanding

    /// Checks the secret, which may take long.
    ///
    /// - Parameter pipe: the reading end, with the whole secret inside and nobody at the other end. It stays the
    ///   caller's.
    func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict

    /// Whether the right secret was the passcode, where another secret is accepted too.
    var wasPasscode: Bool { get }
}

extension PasscodeChecking {
    package var wasPasscode: Bool { false }
}

/// The state of a passcode.
package struct PasscodeStanding: Sendable {
    package var hasPasscode = true
    /// Tries until there is a delay; nil where tries are not counted.
    package var triesLeft: UInt32?
    /// Milliseconds until the next try is checked.
    package var delay: UInt64 = 0

    package init() {}

    /// Whether the last wrong try is the only one that counts.
    var isFirst: Bool { triesLeft == EnclaveWire.triesBeforeDelay - 1 && delay == 0 }
    /// Whether no wrong try counts.
    var isClear: Bool { triesLeft == EnclaveWire.triesBeforeDelay && delay == 0 }
}

/// The verdict on a typed secret.
package enum PasscodeVerdict: Sendable {
    case right
    case wrong(PasscodeStanding)
    /// The secret was not checked, since too many were wrong before.
    case delayed(PasscodeStanding)
}

/// The passcode of the default keychain.
///
/// A right one unlocks that keychain, as everywhere.
struct PasscodeOfStore: PasscodeChecking {
    let enclave: EnclaveConnection
    /// The open store.
    ///
    /// There always is one when a person has to be asked about an item.
    let store: @Sendable () -> ItemStore?

    package func standing() throws(KeychainError) -> PasscodeStanding {
        PasscodeStanding(try enclave.passcodeReport(for: .agent, in: opened().identifier))
    }

    package func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
        let store = try opened()
        // Tries in dialogs are counted apart from tries of programs, so that no program can make the person wait.
        let report = try enclave.call(UnlockStore(.agent, in: store.identifier), passcodes: [pipe])
        switch report.outcome {
        case .done:
            // Items that were locked until now can be sealed anew.
            store.noteKeys()
            return .right
        case .wrong: return .wrong(PasscodeStanding(report))
        case .delayed: return .delayed(PasscodeStanding(report))
        }
    }

    private func opened() throws(KeychainError) -> ItemStore {
        guard let store = store() else {
            throw KeychainError(.notAvailable, "the keychain is being opened anew; try again")
        }
        return store
    }
}

extension PasscodeVerdict {
    /// The custodian's verdict on a passcode.
    init(_ report: PasscodeReport) {
        self =
            switch report.outcome {
            case .done: .right
            case .wrong: .wrong(PasscodeStanding(report))
            case .delayed: .delayed(PasscodeStanding(report))
            }
    }
}

extension PasscodeStanding {
    init(_ report: PasscodeReport) {
        self.init()
        hasPasscode = report.hasPasscode
        let tries = EnclaveWire.triesBeforeDelay
        triesLeft = report.failures < tries ? tries - report.failures : nil
        delay = report.delay
    }
}
