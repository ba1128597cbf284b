import Security

/// What a call to the keychain failed with.
public struct KeychainFailure: Error, CustomStringConvertible {
    public let status: OSStatus

    public init(status: OSStatus) { self.status = status }

    static func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw KeychainFailure(status: status) }
    }

    public var description: String { SecCopyErrorMessageString(status, nil).map { "\($0) (\(status))" } ?? "\(status)" }
}
