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

    /// Creates the file of a keychain, and removes it again where the request fails and no keychain was made.
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
    /// The daemon refuses to let go of a file that does not begin as a keychain does, unless it had a keychain open at
    /// that path: then the file is what is left of it. So a mistyped name or an empty variable of a script reaches no
    /// document of the person's.
    ///
    /// - Throws: `errSecInvalidKeychain` for a file that is no keychain, which stays; the error of a folder that cannot
    ///   be changed, where nothing was changed.
    func delete(
        elsewhere path: String, _ forget: () throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let place = try Self.place(path)
        if let isKeychain = try place?.beginsAsKeychain(), !isKeychain { try requireDamage(of: path) }
        try place?.requireChangeableFolder()
        try forget()
        try place?.remove()
    }

    /// The place of a keychain's file; nil where there is nothing to remove, or something that is no file.
    private static func place(_ path: String) throws(KeychainError) -> KeychainFilePlace? {
        do throws(KeychainError) { return try KeychainFilePlace(path) } catch {
            guard [.noSuchKeychain, .invalidKeychain].contains(error.status) else { throw error }
            return nil
        }
    }

    /// Refuses to remove a file that is no keychain, where the daemon has a sound one at that path.
    ///
    /// The daemon may see another file there, through other mounts, or have the keychain open and write it back.
    private func requireDamage(of path: String) throws(KeychainError) {
        let resolved = try KeychainPath(resolved: path, in: deployment.keychainsFolder)
        guard (try? state(ofKeychain: resolved)) == nil else {
            throw KeychainError(
                .invalidKeychain,
                "\(path) does not begin as a keychain does, and was left as it is; lock the keychain there, and try again"
            )
        }
    }
}
