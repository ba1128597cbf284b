/// Why a file was not read or not written. The numbers are on the wire, and the sentences are ours: who reads what strangers made could
/// be theirs by now, and is to say nothing to a person.
package enum FormatFailure: UInt8, CBORValue, CaseIterable, Sendable, Error {
    /// It begins like nothing that is known here, or is not what it is said to be.
    case unknownFormat = 1
    /// It begins like something, and is cut off or changed.
    case damaged = 2
    case passphraseRequired = 3
    case wrongPassphrase = 4
    /// It is known, and nobody reads or writes it here.
    case unsupportedFormat = 5
    /// A key of another kind or size.
    case unsupportedKey = 6
    /// A way to encrypt or to authenticate that libcrypto does not have.
    case unsupportedEncryption = 7
    // 8 was said of keys of OpenSSH with a passphrase, when these were not read.
    /// It asks for so many iterations that nobody could wait for them.
    case tooManyIterations = 9
    case tooManyItems = 10
    case tooLarge = 11
    /// Such things cannot be written in that format.
    case unsuitableItems = 12
    /// A signed message that has its content not in itself, and nobody gave it.
    case contentRequired = 13
    /// A message with its content, and another one was given.
    case contentTwice = 14
    /// Nothing tells whether the key is another one, or the message was changed.
    case notOpened = 15
    /// A signature that was to go into a message is not of its signer's key.
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
            "a key is of a kind or size that this version does not have: RSA of 1024 to 8192 bits, P-256, P-384, P-521, Ed25519 and X25519 are there"
        case .unsupportedEncryption:
            "the data are encrypted or authenticated in a way that OpenSSL does not offer on this machine"
        case .tooManyIterations: "the data demand more iterations of their passphrase than anybody could wait for"
        case .tooManyItems: "there are more than \(FormatLimits.maximumItems) certificates and keys"
        case .tooLarge: "the data, or something in them, are larger than is read or written here"
        case .unsuitableItems: "such things cannot be written in that format"
        case .contentRequired: "the message has not in itself what was signed: give that with it"
        case .contentTwice: "the message has its content in itself, and another one was given with it"
        case .notOpened: "the message cannot be opened: the key is not the one of it, or it was changed"
        case .wrongSignature: "the signature is not of the key in the signer's certificate"
        }
    }

    package var error: KeychainError { KeychainError(status, sentence) }
}
