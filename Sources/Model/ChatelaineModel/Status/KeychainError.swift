/// A failure of a call: a cause for our own decisions, Apple's status for programs, and a sentence for people.
///
/// The reason says what happened to which thing and what to do about it. It never holds a secret or an attribute value,
/// and no code decides by it. File and line serve logs. Two errors are equal if their statuses are.
package struct KeychainError: Error, Sendable {
    package let status: Status
    package let reason: String
    package let cause: Cause
    package let file: StaticString
    package let line: UInt
    /// Set where the failure is one of the authentication that the use of a key needs.
    package var authentication: AuthenticationFailure?
    /// What is to be told of each part that failed, which programs get as the error beneath; it is never on a wire.
    package var details: String?

    /// A failure whose cause follows from its status.
    package init(_ status: Status, _ reason: String, file: StaticString = #fileID, line: UInt = #line) {
        self.init(cause: Cause(of: status), status: status, reason, file: file, line: line)
    }

    /// - Parameter status: given if it is not the usual one of the cause.
    package init(
        cause: Cause, status: Status? = nil, _ reason: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.status = status ?? cause.status
        self.reason = reason
        self.cause = cause
        self.file = file
        self.line = line
    }
}

extension KeychainError {
    /// The failure of a step as that of the whole operation; cause and status stay the same.
    package func during(_ what: String) -> KeychainError { told("\(what): \(reason)") }

    /// The failure of an all-or-nothing call that could not delete some of the items it had stored.
    package func leaving(_ left: Int) -> KeychainError {
        guard left > 0 else { return self }
        return told("\(reason); \(left) of the items that were stored before it could not be deleted again")
    }

    private func told(_ reason: String) -> KeychainError {
        var error = KeychainError(cause: cause, status: status, reason, file: file, line: line)
        (error.authentication, error.details) = (authentication, details)
        return error
    }
}

extension KeychainError: Equatable {
    package static func == (left: KeychainError, right: KeychainError) -> Bool { left.status == right.status }
}

extension KeychainError: CustomStringConvertible {
    package var description: String { "\(status): \(reason)" }
}
