import ChatelaineModel
import ChatelaineSystem

/// Which keychain has the passcode as its password, as far as that was seen: the login keychain, once the passcode has opened it.
///
/// Whoever types that keychain's password has typed the passcode. To try the passcode itself besides would count as a wrong one, or tell a program that knows
/// the password of a keychain of its own whether the passcode is the same.
final class PasscodePassword: Sendable {
    private struct State {
        /// The check value of its header, which nothing but that password gives.
        var check: [UInt8]?
        /// How often there was another passcode, or none.
        var passcodes: UInt64 = 0
    }

    private let state = AdaptiveMutex(State())

    /// Which passcode there is: what was seen of one before says nothing.
    var passcodes: UInt64 { state.withLock { $0.passcodes } }

    /// The passcode has opened a keychain.
    ///
    /// - Parameter passcodes: as it was when that passcode was right.
    func note(_ check: [UInt8], since passcodes: UInt64) {
        state.withLock { if $0.passcodes == passcodes { $0.check = check } }
    }

    /// There is another passcode, or none.
    func forget() {
        state.withLock {
            $0.check = nil
            $0.passcodes += 1
        }
    }

    /// Whether the password of a header is the passcode.
    func isPassword(of check: [UInt8]) -> Bool { state.withLock { $0.check == check } }
}
