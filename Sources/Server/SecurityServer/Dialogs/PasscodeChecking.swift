import ChatelaineModel
import EnclaveProtocol
import ItemStore
import StoreEngine

/// Whoever looks at what was typed in a dialog: the key custodian, which gets it by a pipe.
package protocol PasscodeChecking: Sendable {
    /// How it stands before anything is typed.
    func standing() throws(KeychainError) -> PasscodeStanding

    /// Has it looked at, which takes as long as it takes.
    ///
    /// - Parameter pipe: the reading end, with all of it inside and nobody at the other end. It stays the caller's, and is not read here.
    func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict

    /// Whether what was right was the passcode, where something else does as well.
    var wasPasscode: Bool { get }
}

extension PasscodeChecking {
    package var wasPasscode: Bool { false }
}

/// How it stands with a passcode.
package struct PasscodeStanding: Sendable {
    package var hasPasscode = true
    /// Tries until there is a delay; nil where nobody counts.
    package var triesLeft: UInt32?
    /// Milliseconds until the next one is looked at.
    package var delay: UInt64 = 0

    package init() {}
}

/// What came of what was typed.
package enum PasscodeVerdict: Sendable {
    case right
    case wrong(PasscodeStanding)
    /// It was not looked at: too many were wrong before.
    case delayed(PasscodeStanding)
}

/// The passcode of the default keychain. A right one unlocks that, as anywhere else.
struct PasscodeOfStore: PasscodeChecking {
    let enclave: EnclaveConnection
    /// The store that is open; it always is when somebody has to be asked about an item.
    let store: @Sendable () -> ItemStore?

    package func standing() throws(KeychainError) -> PasscodeStanding {
        PasscodeStanding(try enclave.passcodeReport(for: .agent, in: opened().identifier))
    }

    package func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
        let store = try opened()
        // Counted apart from what programs try: none of them has the person wait.
        let report = try enclave.call(.unlock(.agent, in: store.identifier), passcodes: [pipe])
        switch report.outcome {
        case .done:
            // What was locked until now can be sealed anew.
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
    /// What the custodian said of a passcode.
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
