import CallerIdentity
import ChatelaineModel

/// The preferences of the system and the common domain: a file of root's, which the daemons of all users read.
///
/// It lies beside the machine's keychains, and not among the files that people edit below `/etc`.
struct MachinePreferences: Sendable {
    /// What root's securityd needs to replace the file.
    struct Writing: Sendable {
        let file: KeychainPreferencesFile
        /// Throws where this daemon may not write now: the folder is not root's alone, or another daemon has it.
        let prepare: @Sendable () throws(KeychainError) -> Void
    }

    let read: @Sendable () -> RootFile
    /// Nil for the daemon of any other user, and for one with another home than root's: whoever tries something in a
    /// home of its own means that home.
    let writing: Writing?

    /// Makes the value for a daemon that only reads.
    init(read: @escaping @Sendable () -> RootFile, writing: Writing? = nil) {
        self.read = read
        self.writing = writing
    }

    init(_ machine: MachineKeychains) {
        let file = KeychainPreferencesFile(folder: machine.folder, permissions: KeychainPreferencesFile.everybodyReads)
        self.init(
            read: { RootFile(at: file.path, limit: KeychainPreferences.maximumBytes) },
            writing: machine.isServed && machine.makesBase
                ? Writing(file: file) { () throws(KeychainError) in try machine.prepare() } : nil)
    }

    /// The error of a change by a daemon that only reads.
    static func readOnly(_ domain: PreferenceDomain) -> KeychainError {
        KeychainError(
            .readOnly,
            "the \(domain.word) domain is the machine\u{2019}s: root alone changes it, with root\u{2019}s own home")
    }
}
