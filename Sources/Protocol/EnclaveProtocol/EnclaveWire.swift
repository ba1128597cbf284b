import ChatelaineModel

/// Sizes of the custodian's protocol.
package enum EnclaveWire {
    /// Both ends come from one build, so there is no negotiation: a change of meaning takes a new number of its kind.
    package static let version: UInt64 = 12
    /// A full batch with its contexts is about 50 KiB; a frame beyond this is no message of ours.
    package static let maximumFrameBytes = 1024 * 1024
    /// Every key that travels is one of AES-256 or of HMAC-SHA-256.
    package static let keyByteCount = 32
    /// A reason of an error: a few sentences and a path.
    package static let maximumReasonBytes = 8 * 1024
    /// Stores that the custodian has open at a time. Each costs its keys, all in locked memory: 16 of 32 bytes, or a few more.
    package static let maximumStores = 16
    /// File keychains that are unlocked at a time: a search list may have a thousand, of which a person or a build unlocks some. Each costs three
    /// keys in locked memory.
    package static let maximumKeychains = 256
    /// Keys of one keybag, and so the most that can be named.
    package static let maximumKeys = 4096
    package static let minimumPasscodeBytes = Limits.newPasscodeBytes
    package static let maximumPasscodeBytes = Limits.passcodeBytes
    /// Wrong passcodes of one origin after which the first delay comes: what Apple's devices allow.
    package static let triesBeforeDelay: UInt32 = 5
    /// Whoever sends a passcode has it already: what takes longer is somebody who holds a channel.
    package static let passcodePatienceMilliseconds: Int32 = 5000
    /// A password of a file keychain: whoever has a key file of that size uses it as it is. It may be empty.
    package static let maximumKeychainPasswordBytes = Limits.keychainPasswordBytes
    /// Requests with passwords of file keychains that are read, or wait for their turn: one is looked at, and the next ones are at hand. They are
    /// apart from passcodes, so that neither takes the other's places.
    package static let maximumKeychainPasswords = 4
    /// Requests with a passcode that are read, or wait for their turn, at a time: the other channels stay free for requests about rows.
    package static let maximumPasscodes = 4
    /// Those of programs, so that the agent's dialog finds a place.
    package static let maximumPasscodesOfPrograms = 3
    /// Biometrics that are waited for at a time; one is looked at, and the others wait for the reader.
    package static let maximumMatches = 3
    /// Biometrics that may fail until the passcode is needed, as on Apple's devices.
    package static let matchTries: UInt32 = 5
    /// Name of a backend in a report.
    package static let maximumNameBytes = 64

    /// `text` cut so that its UTF-8 fits into `limit` bytes.
    static func fitting(_ text: String, limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        // A scalar takes four bytes at the most, so this many are certain to fit.
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit / 4)))
    }
}
