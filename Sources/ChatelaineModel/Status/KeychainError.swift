/// Why a call failed: Apple's status, and a sentence for people.
///
/// The reason says what happened to which thing and what to do about it, and never holds a secret or an attribute
/// value. File and line serve logs. Two errors are equal when their statuses are.
public struct KeychainError: Error, Sendable {
    public let status: Status
    public let reason: String
    public let file: StaticString
    public let line: UInt

    public init(_ status: Status, _ reason: String, file: StaticString = #fileID, line: UInt = #line) {
        self.status = status
        self.reason = reason
        self.file = file
        self.line = line
    }
}

extension KeychainError: Equatable {
    public static func == (left: KeychainError, right: KeychainError) -> Bool { left.status == right.status }
}

extension KeychainError: CustomStringConvertible {
    public var description: String { "\(status): \(reason)" }
}
