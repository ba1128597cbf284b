import ChatelaineModel

/// Limits of the custodian's protocol.
package enum EnclaveWire {
    /// Both ends come from one build, so there is no negotiation: a kind whose meaning changes gets a new number.
    package static let version: UInt64 = 13
    /// A full batch with its contexts has about 50 KiB; a longer frame than this is refused.
    package static let maximumFrameBytes = 1024 * 1024
    /// The most row keys in one request: a batch of a listing, and 4 MiB of arena at the most.
    package static let maximumBatch = 256
    /// Every key in a message is one of AES-256 or of HMAC-SHA-256.
    package static let keyByteCount = 32
    /// A reason of an error: a few sentences and a path.
    package static let maximumReasonBytes = 8 * 1024
    /// The most stores that are open at a time. Each costs its keys in locked memory: 16 of 32 bytes, or a few more.
    package static let maximumStores = 16
    /// The most file keychains that are unlocked at a time; each costs three keys in locked memory.
    ///
    /// A search list may have a thousand keychains, of which a person or a build unlocks some.
    package static let maximumKeychains = 256
    /// The most keys of one keybag, and so the most that a request can name.
    package static let maximumKeys = 4096
    package static let minimumPasscodeBytes = Limits.newPasscodeBytes
    package static let maximumPasscodeBytes = Limits.passcodeBytes
    /// How many wrong passcodes of one origin come before the first delay: as on Apple's devices.
    package static let triesBeforeDelay: UInt32 = 5
    /// How long a passcode may take to arrive. Its sender has it already, so a longer wait means that somebody blocks a
    /// channel.
    static let passcodePatienceMilliseconds: Int32 = 5000
    /// The longest password of a file keychain: a key file of that size can be used as it is. A password may be empty.
    package static let maximumKeychainPasswordBytes = Limits.keychainPasswordBytes
    /// Requests with passwords of file keychains that are read or queued at a time: one is checked, and the next ones
    /// wait.
    ///
    /// They are counted apart from passcodes, so that neither takes the other's places.
    package static let maximumKeychainPasswords = 4
    /// Requests with a passcode that are read or queued at a time; the other channels stay free for requests about
    /// rows.
    package static let maximumPasscodes = 4
    /// The part of ``maximumPasscodes`` for programs, so that the agent's dialog always finds a place.
    package static let maximumPasscodesOfPrograms = 3
    /// Passwords of programs that are read at a time. They are only kept, so they take no place from a passcode.
    package static let maximumCredentials = 4
    /// Biometrics that are waited for at a time: one request uses the reader, and the others wait for it.
    package static let maximumMatches = 3
    /// How many biometrics may fail before the passcode is needed, as on Apple's devices.
    package static let matchTries: UInt32 = 5
    /// The longest name of a backend in a report.
    package static let maximumNameBytes = 64

    /// `text` cut so that its UTF-8 fits into `limit` bytes.
    static func fitting(_ text: String, limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        // A scalar takes four bytes at the most, so this many are certain to fit.
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit / 4)))
    }
}
