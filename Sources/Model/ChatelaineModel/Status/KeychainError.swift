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

extension KeychainError: Equatable {
    package static func == (left: KeychainError, right: KeychainError) -> Bool { left.status == right.status }
}

extension KeychainError: CustomStringConvertible {
    package var description: String { "\(status): \(reason)" }
}
