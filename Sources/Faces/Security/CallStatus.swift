import ChatelaineIPC
import ChatelaineModel
import CoreFoundation

/// The status that a call returns to its program, in Swift and in C alike.
package enum CallStatus {
    /// The sentence of an error goes to standard error, for who asked for it.
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
