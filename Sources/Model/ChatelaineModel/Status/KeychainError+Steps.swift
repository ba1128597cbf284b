extension KeychainError {
    /// The same failure of a step, told as what came of the whole; what is decided by it stays.
    package func during(_ what: String) -> KeychainError { told("\(what): \(reason)") }

    /// Why a call that stores all or nothing failed, where so many of the items that it had stored could not be deleted again.
    package func leaving(_ left: Int) -> KeychainError {
        guard left > 0 else { return self }
        return told("\(reason); \(left) of the items that were stored before it could not be deleted again")
    }

    private func told(_ reason: String) -> KeychainError {
        KeychainError(cause: cause, status: status, reason, file: file, line: line)
    }
}
