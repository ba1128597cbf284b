import ChatelaineModel

/// A reference to an authentication context: what the custodian remembers of a person or a password, for one connection
/// or one request.
///
/// securityd chooses the number, and the custodian keeps the content. The number counts only together with the
/// context's principal.
package struct ContextReference: Hashable, Sendable {
    package var number: UInt64
    /// The program, by a digest of its identity that securityd makes.
    package var principal: Bytes16

    package init(number: UInt64, principal: Bytes16) {
        self.number = number
        self.principal = principal
    }
}

/// The context and the operation for which the key of a row with constraints is asked for.
package struct KeyUse: Hashable, Sendable {
    package var context: ContextReference
    package var operation: AccessConstraints.Operation

    package init(_ context: ContextReference, for operation: AccessConstraints.Operation) {
        self.context = context
        self.operation = operation
    }
}

/// Asks whether constraints are satisfied for an operation in a context.
///
/// The question is about items of one access group. Without a group it is about the items of all of the principal's
/// groups, as a program asks beforehand.
package struct AccessQuestion: Hashable, Sendable {
    package var use: KeyUse
    package var constraints: AccessConstraints
    package var groupDigest: Bytes16?

    package init(_ use: KeyUse, _ constraints: AccessConstraints, groupDigest: Bytes16?) {
        self.use = use
        self.constraints = constraints
        self.groupDigest = groupDigest
    }
}

/// What a person or a program can give to satisfy constraints. The numbers are on the wire.
package enum AccessFactor: UInt8, CaseIterable, Sendable {
    case passcode = 1
    case biometry = 2
    case applicationPassword = 3
}

/// Why nothing can satisfy the constraints now. The numbers are on the wire.
package enum AccessObstacle: UInt8, CaseIterable, Sendable {
    /// The constraints need a person, and without a passcode nobody can prove to be that person.
    case noPasscode = 1
    /// The constraints refuse the operation to every caller.
    case never = 2
    case noBiometry = 3
    /// The enrolled biometrics differ from those at the time when the item was stored.
    case enrolmentChanged = 4
    /// The constraints need a device nearby, which this version does not support.
    case noCompanion = 5

    /// The error for the program, which never says that the item is missing.
    package var error: KeychainError {
        let reason =
            switch self {
            case .noPasscode: "it asks for a person, and there is no passcode to know them by; set one first"
            case .never: "its access control allows this to nobody"
            case .noBiometry: "it asks for a biometric, and none is enrolled"
            case .enrolmentChanged:
                "it asks for the biometrics that were enrolled when it was stored, and others are now"
            case .noCompanion: "it asks for a device nearby, and this version knows none"
            }
        return KeychainError(.authFailed, "the item cannot be used: \(reason)")
    }
}

/// The result of an evaluation of constraints.
package enum AccessEvaluation: Hashable, Sendable {
    case satisfied
    /// Any of these factors helps: the caller gives one, and has the constraints evaluated again. Never empty.
    case needs(Set<AccessFactor>)
    case impossible(AccessObstacle)

    /// Throws where the constraints are not satisfied; the cause is `needsPerson` where a factor can satisfy them.
    package func check() throws(KeychainError) {
        switch self {
        case .satisfied: break
        case .needs(let factors):
            throw KeychainError(
                cause: .needsPerson,
                factors == [.applicationPassword]
                    ? "the item needs a password of the program's, which was not given"
                    : "the item needs a person to show that they are there")
        case .impossible(let obstacle): throw obstacle.error
        }
    }
}

/// A row key wrapped by the class key that seals now, or the reason why it is not.
package enum RewrappedRowKey: Sendable {
    case key(classKeyID: UInt32, wrapped: [UInt8])
    case failure(KeychainError)
}

extension WrappedRowKey {
    /// The wrapped key of the same row after the rewrapping, or the failure.
    package func replaced(by key: RewrappedRowKey) -> Result<WrappedRowKey, KeychainError> {
        switch key {
        case .key(let classKeyID, let wrapped):
            .success(WrappedRowKey(classKeyID: classKeyID, wrapped: wrapped, context: context))
        case .failure(let error): .failure(error)
        }
    }
}
