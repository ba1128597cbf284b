/// Why a file was not read or written. The numbers are on the wire.
///
/// The sentences are ours. The worker that parses foreign files may be under their control, so no text of it reaches a
/// person.
package enum FormatFailure: UInt8, CBORValue, CaseIterable, Sendable, Error {
    /// The file has the beginning of no known format, or not that of the alleged one.
    case unknownFormat = 1
    /// The file has the beginning of a known format, and is cut off or changed.
    case damaged = 2
    case passphraseRequired = 3
    case wrongPassphrase = 4
    /// The format is known, and cannot be read or written here.
    case unsupportedFormat = 5
    /// A key is of an unsupported kind or size.
    case unsupportedKey = 6
    /// libcrypto lacks the method of encryption or authentication.
    case unsupportedEncryption = 7
    // 8 is not used again: it stood for OpenSSH keys with a passphrase, before they were supported.
    /// The file demands more iterations than a person could wait for.
    case tooManyIterations = 9
    case tooManyItems = 10
    case tooLarge = 11
    /// The format cannot hold such items.
    case unsuitableItems = 12
    /// The signed message does not contain its content, and none was given.
    case contentRequired = 13
    /// The message contains its content, and another one was given.
    case contentTwice = 14
    /// Decryption failed: the key is another one, or the message was changed.
    case notOpened = 15
    /// The signature for a message is not by its signer's key.
    case wrongSignature = 16

    package var status: Status {
        switch self {
        case .unknownFormat: .unknownFormat
        case .damaged: .decode
        case .passphraseRequired: .passphraseRequired
        case .wrongPassphrase: .authFailed
        case .unsupportedFormat, .unsupportedKey, .unsupportedEncryption: .unsupportedFormat
        case .tooManyIterations: .unsupportedFormat
        case .tooManyItems, .tooLarge: .dataTooLarge
        case .unsuitableItems, .contentRequired, .contentTwice: .param
        case .notOpened: .decode
        case .wrongSignature: .verifyFailed
        }
    }

    package var sentence: String {
        switch self {
        case .unknownFormat: "the data are of no format that is known here, or of another one than they are said to be"
        case .damaged: "the data are damaged: they end too early, or something in them was changed"
        case .passphraseRequired: "the data are, or are to be, encrypted, and no passphrase was given"
        case .wrongPassphrase: "the passphrase is not the one of these data"
        case .unsupportedFormat: "the format is known, and this version does not read or write it"
        case .unsupportedKey:
            "a key is of a kind or size that this version does not have, or that this format does not work with: RSA of 1024 to 8192 bits, P-256, P-384, P-521, Ed25519 and X25519 are there, and messages take RSA and the P curves"
        case .unsupportedEncryption:
            "the data are encrypted or authenticated in a way that OpenSSL does not offer on this machine"
        case .tooManyIterations: "the data demand more iterations of their passphrase than anybody could wait for"
        case .tooManyItems: "there are more than \(FormatLimits.maximumItems) certificates and keys"
        case .tooLarge: "the data, or something in them, are larger than is read or written here"
        case .unsuitableItems:
            "such things cannot be written in that format: X.509, OpenSSL's, PKCS#8 and raw keys hold one, PKCS#7 holds certificates alone, and a passphrase of PKCS#12 has no zero; PEM sequences and PKCS#12 hold several"
        case .contentRequired: "the message has not in itself what was signed: give that with it"
        case .contentTwice: "the message has its content in itself, and another one was given with it"
        case .notOpened: "the message cannot be opened: the key is not the one of it, or it was changed"
        case .wrongSignature: "the signature is not of the key in the signer's certificate"
        }
    }

    package var error: KeychainError { KeychainError(status, sentence) }
}
