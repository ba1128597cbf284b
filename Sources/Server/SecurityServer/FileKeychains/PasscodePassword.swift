import ChatelaineModel
import ChatelaineSystem

/// Notes which keychain has the passcode as its password.
///
/// It is the login keychain, once the passcode has opened it.
///
/// A person who types that keychain's password has typed the passcode. Trying the text as the passcode too would count
/// as a wrong try. It would also tell a program that knows the password of its own keychain whether the passcode is the
/// same.
final class PasscodePassword: Sendable {
    private struct State {
        /// The check value of the keychain's header, which only that password gives.
        var check: [UInt8]?
        /// How often the passcode was changed or removed.
        var passcodes: UInt64 = 0
    }

    private let state = AdaptiveMutex(State())

    /// The number of the present passcode.
    ///
    /// Observations about an earlier one do not count.
    var passcodes: UInt64 { state.withLock { $0.passcodes } }

    /// Notes that the passcode has opened a keychain.
    ///
    /// - Parameter passcodes: ``passcodes`` when that passcode was right.
    func note(_ check: [UInt8], since passcodes: UInt64) {
        state.withLock { if $0.passcodes == passcodes { $0.check = check } }
    }

    /// Forgets the keychain, since the passcode was changed or removed.
    func forget() {
        state.withLock {
            $0.check = nil
            $0.passcodes += 1
        }
    }

    /// Whether the password of a header is the passcode.
    func isPassword(of check: [UInt8]) -> Bool { state.withLock { $0.check == check } }
}
