import ChatelaineModel
import CoreFoundation

/// The call `SecRandomCopyBytes`, for Swift and for C alike.
package enum RandomCall {
    /// - Parameter count: nil for a number larger than any memory.
    package static func status(_ count: Int?, _ bytes: UnsafeMutableRawPointer?) -> OSStatus {
        CallStatus.of("SecRandomCopyBytes") { () throws(KeychainError) in
            guard let count, count >= 0 else {
                throw KeychainError(.param, "the number of bytes is negative, or larger than any memory")
            }
            guard count > 0 else { return }
            guard let bytes else { throw KeychainError(.param, "the pointer to the memory is null") }
            switch RandomBytes.system.fill(UnsafeMutableRawBufferPointer(start: bytes, count: count)) {
            case errSecSuccess: return
            case errSecParam: throw KeychainError(.param, "the memory is not there, or cannot be written to")
            default: throw KeychainError(.internalComponent, "the kernel gives no random numbers")
            }
        }
    }
}
