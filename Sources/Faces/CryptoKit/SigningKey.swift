import Crypto
import Foundation
import LocalAuthentication
import Security

extension SecureEnclave.P256.Signing {
    /// A private key of the Secure Enclave that signs.
    public struct PrivateKey: Sendable {
        private let key: SealedKey

        /// Makes a key that is used while the device is unlocked.
        ///
        /// - Parameters:
        ///   - compactRepresentable: whether its public key is to have a compact representation.
        ///   - authenticationContext: where a person is asked, when it is used.
        public init(compactRepresentable: Bool = true, authenticationContext: LAContext? = nil) throws {
            try self.init(SealedKey(isCompact: compactRepresentable, .whenUnlocked, authenticationContext))
        }

        /// Makes a key whose access control stands before each signature.
        public init(
            compactRepresentable: Bool = true, accessControl: SecAccessControl, authenticationContext: LAContext? = nil
        ) throws {
            try self.init(SealedKey(isCompact: compactRepresentable, .control(accessControl), authenticationContext))
        }

        /// A key that this program has kept.
        ///
        /// - Throws: for what is no such key, for one of another device, and for one that a program of another access group has made.
        public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
            try self.init(SealedKey(dataRepresentation: dataRepresentation, authenticationContext))
        }

        private init(_ key: SealedKey) throws {
            self.key = key
            publicKey = try Crypto.P256.Signing.PublicKey(x963Representation: key.publicPoint)
        }

        public let publicKey: Crypto.P256.Signing.PublicKey

        /// The key as this program keeps it: sealed, so that it is of use to no other program and on no other device.
        public var dataRepresentation: Data { key.dataRepresentation }

        /// Signs a digest, which may be asked of a person first.
        public func signature<D: Digest>(for digest: D) throws -> Crypto.P256.Signing.ECDSASignature {
            let bytes = digest.withUnsafeBytes { Data($0) }
            let signature = try SealedKey.result {
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
