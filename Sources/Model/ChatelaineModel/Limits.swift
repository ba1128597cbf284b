/// The sizes, counts and times that this project accepts; each limit is tested.
package enum Limits {
    /// A secret: room for a PKCS#12 file or a key ring export, small enough to be sealed in one piece.
    package static let secretBytes = 16 * 1024 * 1024
    /// All attributes of one item, encoded: far above any real item, and small enough to share a frame with the secret.
    package static let attributeBytes = 512 * 1024
    /// Distinct pairs in a dictionary (behaviour/limits.md, 1).
    static let dictionaryPairs = 128
    /// How long a client may send a change again, in seconds since it first sent it.
    ///
    /// The time is longer than any daemon takes to come back. A shorter time lets the daemon forget its answers sooner.
    package static let repetitionSeconds = 600
    /// References in a list of items: they take a quarter of a mebibyte in a request, and some tenths of a second to
    /// look up.
    package static let listedItems = 16 * 1024
    /// A passcode: room for a sentence. No more than this is read from a descriptor.
    package static let passcodeBytes = 1024
    /// The reason that a program gives for a prompt: far more than a dialog shows of it.
    static let promptBytes = 1024
    /// The least length of a new passcode, as Apple's devices demand.
    ///
    /// The length does not say whether it is hard to guess.
    package static let newPasscodeBytes = 4
    /// A password of a file keychain, which may be the content of a key file.
    package static let keychainPasswordBytes = 1024 * 1024
}
