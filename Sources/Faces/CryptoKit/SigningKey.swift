import Crypto
import Foundation
import LocalAuthentication
import Security

extension SecureEnclave.P256.Signing {
    /// A private key of the Secure Enclave that signs.
    public struct PrivateKey: Sendable {
        private let key: EnclaveKeyHandle

        /// Makes a key that can be used while the device is unlocked.
        ///
        /// - Parameters:
        ///   - compactRepresentable: whether the public key must have a compact representation.
        ///   - authenticationContext: the context in which a person is asked when the key is used.
        public init(compactRepresentable: Bool = true, authenticationContext: LAContext? = nil) throws {
            try self.init(EnclaveKeyHandle(isCompact: compactRepresentable, .whenUnlocked, authenticationContext))
        }

        /// Makes a key whose access control must be satisfied for each signature.
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
            publicKey = try Crypto.P256.Signing.PublicKey(x963Representation: key.publicPoint)
        }

        public let publicKey: Crypto.P256.Signing.PublicKey

        /// The sealed key, which the program keeps; no other program and no other device can use it.
        public var dataRepresentation: Data { key.dataRepresentation }

        /// Signs a digest; a person may be asked first.
        public func signature<D: Digest>(for digest: D) throws -> Crypto.P256.Signing.ECDSASignature {
            let bytes = digest.withUnsafeBytes { Data($0) }
            let signature = try EnclaveKeyHandle.result {
                SecKeyCreateSignature(key.key, .ecdsaSignatureDigestX962, bytes as CFData, &$0)
            }
            return try Crypto.P256.Signing.ECDSASignature(derRepresentation: signature as Data)
        }

        /// Signs the SHA-256 of data.
        public func signature<D: DataProtocol>(for data: D) throws -> Crypto.P256.Signing.ECDSASignature {
            try signature(for: SHA256.hash(data: data))
        }
    }
}
