extension KeychainError {
    /// Why a call that stores all or nothing failed, where so many of the items that it had stored could not be deleted again.
    package func leaving(_ left: Int) -> KeychainError {
        guard left > 0 else { return self }
        return KeychainError(
            status, reason + "; \(left) of the items that were stored before it could not be deleted again")
    }
}
