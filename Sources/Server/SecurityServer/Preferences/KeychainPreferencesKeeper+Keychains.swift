import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import SystemCalls

/// Updates the preferences when a keychain is made or deleted.
extension KeychainPreferencesKeeper {
    /// Makes sure, before a keychain is made, that the search list has room for it.
    func checkRoom(for path: String) throws(KeychainError) {
        let own = try ownList(of: .user)
        guard own.count < KeychainPreferences.maximumKeychains || own.contains(where: { $0.text == path }) else {
            throw KeychainError(
                .dataTooLarge,
                "the search list has \(own.count) keychains, which is the most; take some off it, and make \(path) then"
            )
        }
    }

    /// Adds a new keychain at the end of the user's own search list.
    func note(new path: String) throws(KeychainError) {
        do throws(KeychainError) { try add(path) } catch {
            throw error.during("\(path) was made, but is not searched")
        }
    }

    /// Removes a deleted keychain from the search list and from the defaults.
    func note(deleted path: String) throws(KeychainError) {
        do throws(KeychainError) { try remove(path) } catch {
            throw error.during("\(path) was deleted, but is still named in the preferences")
        }
    }

    /// The preferences of the user and the machine that a daemon serves.
    convenience init(
        _ deployment: Deployment, _ machine: MachineKeychains, events: KeychainEventSubscriptions, log: Log
    ) {
        let folders = KeychainFolders(user: deployment.keychainsFolder)
        self.init(
            KeychainPreferencesFile(folder: deployment.dataFolder),
            folders: folders,
            machine: MachinePreferences(machine), log: log,
            changed: { changes, preferences in
                log.debug("keychain preferences differ", ["changes": "\(changes.count)"])
                events.post(changes, preferences, in: folders)
            })
    }
}
