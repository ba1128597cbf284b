/// The decision of an access object about one use of an item.
package enum ACLVerdict: Hashable, Sendable {
    case allowed
    /// A person has to allow the use; one prompt covers all reasons.
    case needsPerson(ACLQuestion)
    case denied(ACLDenial)
}

/// The content of a prompt, and what its answer may change.
package struct ACLQuestion: Hashable, Sendable {
    /// Why the program is not let in without a prompt. The numbers are in questions to the agent.
    package enum Reason: UInt8, CBORValue, CaseIterable, Sendable {
        case notListed = 1
        /// Another program was at this path when it was listed (``ACLQuestion/former``).
        case changed = 2
        /// The program is listed, but its identity is uncertain.
        case uncertain = 3
        /// An entry lets the program in, but it is in none of the item's partitions.
        case partition = 4
    }

    package let right: ACLAuthorization
    package let reason: Reason
    /// The program that was listed, where the reason is that it changed.
    ///
    /// ``AccessObject/replacing(_:by:)`` makes what *Change All* writes.
    package let former: TrustedApplication?
    /// The entry that the prompt is about.
    package let place: AccessObject.Place
    /// What the entry calls the item.
    package let description: ExactText
    /// Whether only the keychain's password answers the prompt.
    package let needsKeychainPassword: Bool
    /// Whether the prompt may offer *Always Allow*; ``AccessObject/remembering(_:after:)`` then returns an object.
    package internal(set) var mayBeRemembered = false
}

/// Why a use is refused without a prompt.
package enum ACLDenial: Hashable, Sendable, CaseIterable {
    /// No entry gives the right to a program that this one could be.
    case notAuthorized
    /// A prompt would be necessary, and the caller forbids it.
    case interactionForbidden
    /// The entry does not allow a prompt about unsigned programs.
    case unsigned
    /// The entry does not allow a prompt about programs whose signature does not count.
    case invalidSignature
    case unreadableSignature
    /// An entry gives the right, but the program is in none of the item's partitions, and this right allows no prompt.
    case partition
    /// An administrator would have to be asked, which this version cannot do.
    case administrator
    /// The object contradicts itself.
    case unusable

    /// The error that the program gets.
    package var error: KeychainError {
        guard self != .unusable else { return KeychainError(.invalidACL, sentence) }
        return KeychainError(cause: .notEntitled, status: .authFailed, sentence)
    }

    private var sentence: String {
        switch self {
        case .notAuthorized: "no entry of the item's access object gives the program this right"
        case .interactionForbidden:
            "a person has to allow this, and the program forbids to ask: list it in the item's access object, or "
                + "have one asked"
        case .unsigned: "the item's access object refuses programs without a signature: sign the program"
        case .invalidSignature:
            "the item's access object refuses programs whose signature does not count: see `security app show`"
        case .unreadableSignature:
            "the program's signature cannot be looked at, and nobody is asked about such a program"
        case .partition:
            "the program is of no partition of the item's: add one with security set-generic-password-partition-list"
        case .administrator:
            "an administrator has to allow this for an item of the whole machine's, and nobody can be asked: have root list the program in "
                + "the item's access object"
        case .unusable: "the item's access object has more than one partition list and cannot be used"
        }
    }
}
