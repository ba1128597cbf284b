import ChatelaineCryptography
import ChatelaineModel
import ChatelaineSystem

/// The public key of a `SecKey`, parsed on first use.
///
/// Programs often only pass a found key on, and the check that its point lies on the curve takes longer than the
/// search.
final class PublicHalf: Sendable {
    private enum State: Sendable {
        case unread(KeyKind, [UInt8])
        case read(Result<CryptographicKey, KeychainError>)
    }

    private let state: AdaptiveMutex<State>

    init(_ known: Result<CryptographicKey, KeychainError>) { state = AdaptiveMutex(.read(known)) }

    /// A key in its external representation.
    init(_ kind: KeyKind, _ bytes: [UInt8]) { state = AdaptiveMutex(.unread(kind, bytes)) }

    /// - Throws: the same error each time.
    func key() throws(KeychainError) -> CryptographicKey {
        let known = state.withLock { state -> Result<CryptographicKey, KeychainError> in
            switch state {
            case .read(let known): return known
            case .unread(let kind, let bytes):
                let key = Result { () throws(KeychainError) in
                    try CryptographicKey(kind, publicRepresentation: bytes)
                }
                state = .read(key)
                return key
            }
        }
        return try known.get()
    }
}
