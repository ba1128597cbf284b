extension KeychainError {
    /// The failure of a step as that of the whole operation; cause and status stay the same.
    package func during(_ what: String) -> KeychainError { told("\(what): \(reason)") }

    /// The failure of an all-or-nothing call that could not delete some of the items it had stored.
    package func leaving(_ left: Int) -> KeychainError {
        guard left > 0 else { return self }
        return told("\(reason); \(left) of the items that were stored before it could not be deleted again")
    }

    private func told(_ reason: String) -> KeychainError {
        KeychainError(cause: cause, status: status, reason, file: file, line: line)
    }
}
