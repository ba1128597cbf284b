import ChatelaineModel

/// Keychains outside of the folder of keychains: this process opens, creates and removes their files with its own
/// rights.
extension KeychainClient {
    func isElsewhere(_ path: String) throws(KeychainError) -> Bool {
        try KeychainPath(resolved: path, in: deployment.keychainsFolder).place == .elsewhere
    }

    /// Lends the daemon the file of a keychain that the daemon has asked for.
    func lend(_ path: String) throws(KeychainError) { try lend(try OpenedKeychainFile(path)) }

    private func lend(_ file: OpenedKeychainFile) throws(KeychainError) {
        try withConnection { connection in try connection.call(LendKeychain(path: file.path), file) }
    }

    /// Creates the file of a keychain, and removes it again where the request fails.
    func create<Answer>(
        elsewhere path: String, _ present: () throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        let file = try OpenedKeychainFile(new: path)
        do throws(KeychainError) {
            try lend(file)
            return try present()
        } catch {
            file.remove()
            throw error
        }
    }

    /// Removes the file that was at the path before the daemon let go of the keychain, and no other file.
    ///
    /// - Throws: `errSecInvalidKeychain` for a file that is no keychain, and the error of a folder that cannot be
    ///   changed; nothing was changed then.
    func delete(
        elsewhere path: String, _ forget: () throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let place = try? KeychainFilePlace(path)
        try place?.requireKeychain()
        try place?.requireChangeableFolder()
        try forget()
        try place?.remove()
    }
}
