import ChatelaineModel

/// Keychains outside of the folder of keychains: this process opens, makes and removes their files, by its own rights.
extension KeychainClient {
    func isElsewhere(_ path: String) throws(KeychainError) -> Bool {
        try KeychainPath(resolved: path, in: deployment.keychainsFolder).place == .elsewhere
    }

    /// Lends the daemon the file of a keychain, which it has asked for.
    func lend(_ path: String) throws(KeychainError) { try lend(try OpenedKeychainFile(path)) }

    private func lend(_ file: OpenedKeychainFile) throws(KeychainError) {
        try withConnection { connection in try connection.call(LendKeychain(path: file.path), file) }
    }

    /// Makes the file of a keychain, and takes it away again where none comes of it.
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

    /// Removes the file that stood there before the daemon let go of the keychain, and no other.
    func delete(
        elsewhere path: String, _ forget: () throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let place = try? KeychainFilePlace(path)
        try forget()
        try place?.remove()
    }
}
