/// What an access object says of one use of an item.
package enum ACLVerdict: Hashable, Sendable {
    case allowed
    /// A person has to allow it, and is asked once for all of it.
    case needsPerson(ACLQuestion)
    case denied(ACLDenial)
}

/// What a person is asked, and what the answer may lead to.
package struct ACLQuestion: Hashable, Sendable {
    /// Why the program is not let in without asking.
    package enum Reason: Hashable, Sendable {
        case notListed
        /// Another program stood at its path when that was listed; ``AccessObject/replacing(_:by:)`` is what *Change
        /// All* writes.
        case changed(TrustedApplication)
        /// It is listed, and nobody can be sure that this is it.
        case uncertain
        /// An entry lets it in; it is of none of the item's partitions.
        case partition
    }

    package let right: ACLAuthorization
    package let reason: Reason
    /// The entry that it is about.
    package let place: AccessObject.Place
    /// What the entry calls the item.
    package let description: ExactText
    /// Whether the keychain's password has to be given, and nothing else does.
    package let needsKeychainPassword: Bool
    /// Whether *Always Allow* may be offered: ``AccessObject/remembering(_:after:)`` then has an answer.
    package internal(set) var mayBeRemembered = false
}

/// Why nobody is asked.
package enum ACLDenial: Hashable, Sendable, CaseIterable {
    /// No entry gives the right to anybody that this could be.
    case notAuthorized
    /// A person would have to be asked, and the caller forbids it.
    case interactionForbidden
    /// The entry does not let a person be asked about unsigned programs.
    case unsigned
    /// The same about programs whose signature does not count.
    case invalidSignature
    case unreadableSignature
    /// An entry gives the right, the program is of no partition of the item's, and nobody is asked about such a right.
    case partition
    /// An administrator would have to be asked, of which this version knows no way.
    case administrator
    /// The object contradicts itself.
    case unusable

    /// What the program is told.
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
