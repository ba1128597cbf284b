import Crypto
import Foundation
import Security

/// Keys that are made and used in the process `enclaved`, where no program can read them.
public enum SecureEnclave {
    /// Whether keys can be made and used: whether the keychain's daemons run and answer.
    ///
    /// The daemons also answer while keys are locked.
    public static var isAvailable: Bool {
        let query: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecUseAuthenticationUI: kSecUseAuthenticationUISkip,
        ]
        let status = SecItemCopyMatching(query as CFDictionary, nil)
        return [errSecSuccess, errSecItemNotFound, errSecInteractionNotAllowed].contains(status)
    }

    /// Keys on the curve P-256, the only curve of the Secure Enclave.
    public enum P256 {
        public enum Signing {}
        public enum KeyAgreement {}
    }
}
