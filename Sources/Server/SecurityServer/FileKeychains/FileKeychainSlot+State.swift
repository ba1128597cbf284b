import ChatelaineIPC
import ChatelaineModel
import FileKeychains

/// What a file keychain says of itself.
extension FileKeychainSlot {
    func state() throws(KeychainError) -> KeychainState {
        lockIfIdle()
        try refresh()
        let condition = try keychain.condition()
        var state = KeychainState()
        state.isUnlocked = condition.isUnlocked
        state.isWritable = condition.isWritable
        state.mayLackChanges = condition.mayLackChanges
        return state
    }

    /// The settings of the keychain; reading them does not restart the idle time.
    func settings() throws(KeychainError) -> KeychainSettings {
        // Reports a missing keychain as missing, rather than as locked.
        _ = try state()
        return try keychain.settings()
    }
}
