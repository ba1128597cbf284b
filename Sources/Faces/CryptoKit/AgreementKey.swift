import Crypto
import Foundation
import LocalAuthentication
import Security

extension SecureEnclave.P256.KeyAgreement {
    /// A private key of the Secure Enclave for key agreement.
    public struct PrivateKey: Sendable, HPKEDiffieHellmanPrivateKey {
        private let key: EnclaveKeyHandle

        /// Makes a key that can be used while the device is unlocked.
        ///
        /// - Parameters:
        ///   - compactRepresentable: whether the public key must have a compact representation.
        ///   - authenticationContext: the context in which a person is asked when the key is used.
        public init(compactRepresentable: Bool = true, authenticationContext: LAContext? = nil) throws {
            try self.init(EnclaveKeyHandle(isCompact: compactRepresentable, .whenUnlocked, authenticationContext))
        }

        /// Makes a key whose access control must be satisfied for each agreement.
        public init(
            compactRepresentable: Bool = true, accessControl: SecAccessControl, authenticationContext: LAContext? = nil
        ) throws {
            try self.init(
                EnclaveKeyHandle(isCompact: compactRepresentable, .control(accessControl), authenticationContext))
        }

        /// Restores a key from the representation that this program has kept.
        ///
        /// - Throws: an error for data that is no such key, for a key of another device, and for a key of another
        ///   access group.
        public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
            try self.init(EnclaveKeyHandle(dataRepresentation: dataRepresentation, authenticationContext))
        }

        private init(_ key: EnclaveKeyHandle) throws {
            self.key = key
            publicKey = try Crypto.P256.KeyAgreement.PublicKey(x963Representation: key.publicPoint)
        }

        public let publicKey: Crypto.P256.KeyAgreement.PublicKey

        /// The sealed key, which the program keeps; no other program and no other device can use it.
        public var dataRepresentation: Data { key.dataRepresentation }

        /// Returns the shared secret with another party's public key; a person may be asked first.
        public func sharedSecretFromKeyAgreement(
            with publicKeyShare: Crypto.P256.KeyAgreement.PublicKey
        ) throws -> SharedSecret {
            let attributes: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic,
            ]
            let other = try EnclaveKeyHandle.result {
                SecKeyCreateWithData(publicKeyShare.x963Representation as CFData, attributes as CFDictionary, &$0)
            }
            let secret = try EnclaveKeyHandle.result {
                SecKeyCopyKeyExchangeResult(key.key, .ecdhKeyExchangeStandard, other, [:] as CFDictionary, &$0)
            }
            return try SharedSecret(coordinate: secret)
        }
    }
}

extension SharedSecret {
    /// The private key 1, whose agreement with a point is that point's own coordinate.
    private static let one = Data(repeating: 0, count: 31) + [1]

    /// Makes a shared secret from its bytes; swift-crypto only makes one by an agreement.
    ///
    /// The shared secret of two P-256 keys is the first coordinate of a point. An agreement of the private key 1 with
    /// that point has the same result. Two points have that coordinate, and both give the same secret.
    ///
    /// - Parameter coordinate: the secret as Security returns it, in memory that nobody zeroes. The copy that is made
    ///   here is zeroed.
    fileprivate init(coordinate: CFData) throws {
        var compressed = Data(capacity: 1 + coordinate.length)
        compressed.append(2)
        // SAFETY: the bytes are there as long as the object, and are copied.
        compressed.append(coordinate.bytes.assumingMemoryBound(to: UInt8.self), count: coordinate.length)
        defer { compressed.resetBytes(in: compressed.startIndex..<compressed.endIndex) }
        let point = try Crypto.P256.KeyAgreement.PublicKey(compressedRepresentation: compressed)
        let one = try Crypto.P256.KeyAgreement.PrivateKey(rawRepresentation: Self.one)
        self = try one.sharedSecretFromKeyAgreement(with: point)
    }
}
