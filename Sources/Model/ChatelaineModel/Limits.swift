/// What this project accepts, in one place; each limit is tested.
package enum Limits {
    /// A secret: room for a PKCS#12 file or a key ring export, small enough to be sealed in one piece.
    package static let secretBytes = 16 * 1024 * 1024
    /// All attributes of one item, encoded: far above any real item, and with the secret still within one frame.
    package static let attributeBytes = 512 * 1024
    /// Distinct pairs in a dictionary (behaviour/limits.md, 1).
    package static let dictionaryPairs = 128
    /// How long after it first sent a change a client may send it again, in seconds: longer than any daemon takes to come back,
    /// and the shorter, the sooner an answer can be forgotten.
    package static let repetitionSeconds = 600
    /// References in a list of items: a quarter of a mebibyte in a request, and look-ups for some tenths of a second.
    package static let listedItems = 16 * 1024
    /// A passcode: a sentence, and a limit to what is read of a descriptor.
    package static let passcodeBytes = 1024
    /// What a program says of the reason for which a person is asked: far more than a dialog shows of it.
    package static let promptBytes = 1024
    /// A new passcode, at least: what Apple's devices ask for. Whether one is hard to guess is not for its length to say.
    package static let newPasscodeBytes = 4
    /// A password of a file keychain, which may be the content of a key file.
    package static let keychainPasswordBytes = 1024 * 1024
}
