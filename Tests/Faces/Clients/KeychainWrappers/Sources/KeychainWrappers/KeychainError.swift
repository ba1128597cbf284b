import Foundation
import Security

/// Errors as many libraries declare them: the usual ones by name, the rest by number.
public enum KeychainError: Error, Equatable {
    case duplicateItem
    case itemNotFound
    case authFailed
    case interactionNotAllowed
    case missingEntitlement
    case unexpectedData
    case unhandled(status: OSStatus)

    public init(status: OSStatus) {
        switch status {
        case errSecDuplicateItem:
            self = .duplicateItem
        case errSecItemNotFound:
            self = .itemNotFound
        case errSecAuthFailed, errSecUserCanceled:
            self = .authFailed
        case errSecInteractionNotAllowed:
            self = .interactionNotAllowed
        case errSecMissingEntitlement:
            self = .missingEntitlement
        default:
            self = .unhandled(status: status)
        }
    }
}

extension KeychainError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unhandled(let status):
            return status.keychainMessage
        case .duplicateItem:
            return errSecDuplicateItem.keychainMessage
        case .itemNotFound:
            return errSecItemNotFound.keychainMessage
        default:
            return nil
        }
    }
}

extension OSStatus {
    public var keychainMessage: String {
        if #available(iOS 11.3, macOS 10.3, *) {
            return SecCopyErrorMessageString(self, nil) as String? ?? "Unknown error"
        } else {
            return "OSStatus \(self)"
        }
    }

    public var keychainError: NSError? {
        guard self != errSecSuccess else { return nil }
        return NSError(
            domain: NSOSStatusErrorDomain, code: Int(self),
            userInfo: [NSLocalizedDescriptionKey: SecCopyErrorMessageString(self, nil) as Any])
    }

    public func check() throws {
        if let error = keychainError { throw error }
    }
}

/// Status codes as an enumeration, as some libraries name them all.
public enum Status: OSStatus, Error {
    case success = 0
    case unimplemented = -4
    case param = -50
    case duplicateItem = -25299
    case itemNotFound = -25300
    case missingEntitlement = -34018
    case unexpectedError = -99999

    public init(status: OSStatus) {
        self = Status(rawValue: status) ?? .unexpectedError
    }
}

extension Status: CustomNSError {
    public static let errorDomain = "org.example.keychain.error"
    public var errorCode: Int { Int(rawValue) }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: "\(self)"] }
}

/// The error that came through CoreFoundation.
public func takeError(_ error: Unmanaged<CFError>?) -> Error? {
    guard let error = error?.takeRetainedValue() else { return nil }
    guard CFErrorGetDomain(error) as String == NSOSStatusErrorDomain else { return error as Error }
    return KeychainError(status: OSStatus(CFErrorGetCode(error)))
}
