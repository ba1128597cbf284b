import ChatelaineIPC
import ChatelaineModel
import CoreFoundation

/// The status that a call returns to its program, in Swift and in C alike.
package enum CallStatus {
    /// Runs a call and returns its status; ``FailureReport`` writes an error's sentence to standard error, if
    /// enabled.
    package static func of(_ name: StaticString, _ call: () throws(KeychainError) -> Void) -> OSStatus {
        do {
            try call()
            return errSecSuccess
        } catch {
            FailureReport.write(name, error)
            return error.status.rawValue
        }
    }
}
