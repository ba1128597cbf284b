import ChatelaineModel
import FileKeychains

/// The file of a keychain elsewhere, from when a program lends it until it is unlocked; from then on the open keychain has it.
extension FileKeychainSlot {
    /// As long as a request takes to follow. A person who is asked may take longer: the question keeps the file.
    static let secondsLent = 30.0

    func lend(_ file: LentFile) {
        lent.withLock { $0 = (file, clock()) }
        timed()
    }

    var lentFile: LentFile? { lent.withLock { $0?.file } }

    /// When it came.
    var lentSince: Double { lent.withLock { $0?.since ?? 0 } }

    /// Whether a file is held open for it.
    var hasFile: Bool { path.place == .elsewhere && !isAtRest }

    /// What it takes to unlock or make one that lies elsewhere; nil for one in our folder.
    func requiredFile() throws(KeychainError) -> LentFile? {
        guard path.place == .elsewhere else { return nil }
        guard let file = lentFile else { throw LentFile.needed(path.text) }
        return file
    }

    func dropFile() { lent.withLock { $0 = nil } }

    var fileDeadline: Double? { lent.withLock { $0.map { $0.since + Self.secondsLent } } }

    /// Nobody came for it.
    func dropIdleFile() {
        let now = clock()
        lent.withLock { lent in if let since = lent?.since, now >= since + Self.secondsLent { lent = nil } }
    }
}
