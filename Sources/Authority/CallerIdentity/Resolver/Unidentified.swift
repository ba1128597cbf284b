import ChatelaineModel

/// Why a caller could not be identified, for people and for tests.
///
/// Such a caller has no access groups: it is answered `errSecMissingEntitlement` with ``text``.
package struct Unidentified: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The process ended before it could be looked at.
        case ended
        /// The kernel does not let us look: the program is not dumpable, or belongs to another user.
        case notInspectable
        /// The process is another user's than the keychain.
        case otherUser
        /// The process has another user namespace, mount namespace or root folder than the reference.
        case foreignNamespace
        /// The executable was deleted or replaced, and not by the administrator.
        case deleted
        /// The program never was a file: memfd.
        case memory
        /// The path that the kernel names holds another file.
        case otherFileAtPath
        /// The file is on a file system whose server decides what each reader sees.
        case remoteFileSystem
        /// The path is not text that a list could show honestly, or is too long.
        case unprintablePath
        /// The executable is too large to be hashed.
        case tooLarge
        /// The process became another program while it was looked at.
        case changedMeanwhile
        /// Interrupted at each attempt to look at the process in one go.
        case disturbed
        /// A call failed that is not expected to fail.
        case unreadable
    }

    package let reason: Reason
    /// What happened and what helps, in a sentence or two, without any secret.
    package let text: String

    package init(_ reason: Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }

    /// The answer to every call of such a caller.
    package var error: KeychainError { KeychainError(.missingEntitlement, text) }
}
