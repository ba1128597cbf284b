import Crypto
import Foundation
import Security

/// Keys that are made and used where no program reads them: in the process `enclaved`, which has this device's keys.
public enum SecureEnclave {
    /// Whether keys can be made and used: whether the keychain's daemons are there and answer. That keys are locked is an answer.
    public static var isAvailable: Bool {
        let query: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecUseAuthenticationUI: kSecUseAuthenticationUISkip,
        ]
        let status = SecItemCopyMatching(query as CFDictionary, nil)
        return [errSecSuccess, errSecItemNotFound, errSecInteractionNotAllowed].contains(status)
    }

    /// Keys of the curve P-256, the one that the Secure Enclave has.
    public enum P256 {
        public enum Signing {}
        public enum KeyAgreement {}
    }
}
