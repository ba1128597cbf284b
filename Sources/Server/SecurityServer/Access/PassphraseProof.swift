import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Has formatd read or write a file of keys with the typed passphrase.
///
/// The calling program never sees the passphrase, and gets only the result.
///
/// After the wait the request finds the result in ``result``.
final class PassphraseProof: PasscodeChecking {
    enum Result: Sendable {
        case content(ExternalContent)
        case file(SecretBytes)
    }

    /// Milliseconds in which the agent has to write what was typed; it normally writes at once.
    private static let patience: Int32 = 5_000

    private let use: @Sendable (SecretBytes) throws(KeychainError) -> Result
    private let made = AdaptiveMutex<Result?>(nil)

    init(_ use: @escaping @Sendable (SecretBytes) throws(KeychainError) -> Result) { self.use = use }

    var result: Result? { made.withLock { $0 } }

    /// Wrong tries are not counted, since whoever has the file may try as often as they like.
    func standing() -> PasscodeStanding { PasscodeStanding() }

    func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
        let passphrase = try Self.typed(pipe)
        do throws(KeychainError) {
            let result = try use(passphrase)
            made.withLock { $0 = result }
            return .right
        } catch {
            guard error.status == .authFailed else { throw error }
            return .wrong(PasscodeStanding())
        }
    }

    private static func typed(_ pipe: Int32) throws(KeychainError) -> SecretBytes {
        var typed = SecretBuffer(capacity: FormatLimits.maximumPassphraseBytes)
        while typed.count < FormatLimits.maximumPassphraseBytes {
            guard SocketCalls.poll(pipe, POLLIN, patience).count > 0 else {
                throw KeychainError(.internalComponent, "the dialog does not tell what was typed")
            }
            let count = typed.append(capacity: FormatLimits.maximumPassphraseBytes - typed.count) { buffer in
                // SAFETY: the call writes to the buffer only, at most as much as it has room for.
                read(pipe, buffer.baseAddress, buffer.count)
            }
            if count == 0 { break }
            guard count > 0 || errno == EINTR else { throw KeychainError(system: errno, "reading what was typed") }
        }
        return typed.finish()
    }
}
