import ChatelaineModel
import FileKeychains

/// Keeps the file of a keychain elsewhere from when a program lends it until the keychain is unlocked.
///
/// From then on the open keychain has it.
extension FileKeychainSlot {
    /// The seconds within which a request follows.
    ///
    /// A person who is asked may take longer: the question keeps the file.
    static let secondsLent = 30.0

    func lend(_ file: LentFile) {
        lent.withLock { $0 = (file, clock()) }
        timed()
    }

    var lentFile: LentFile? { lent.withLock { $0?.file } }

    /// When the file was lent.
    var lentSince: Double { lent.withLock { $0?.since ?? 0 } }

    /// Whether a file is held open for the keychain.
    var hasFile: Bool { path.place == .elsewhere && !isAtRest }

    /// The file that is needed to unlock or make a keychain elsewhere; nil for a keychain in our folder.
    func requiredFile() throws(KeychainError) -> LentFile? {
        guard path.place == .elsewhere else { return nil }
        guard let file = lentFile else { throw LentFile.needed(path.text) }
        return file
    }

    func dropFile() { lent.withLock { $0 = nil } }

    var fileDeadline: Double? { lent.withLock { $0.map { $0.since + Self.secondsLent } } }

    /// Drops a lent file for which no request came.
    func dropIdleFile() {
        let now = clock()
        lent.withLock { lent in if let since = lent?.since, now >= since + Self.secondsLent { lent = nil } }
    }
}
