import ChatelaineModel

/// An authentication context: what the custodian remembers of a person or a password, for one connection or one request.
///
/// securityd gives the number and the custodian keeps what belongs to it. Without the principal that it is of, a number is of no use.
package struct ContextReference: Hashable, Sendable {
    package var number: UInt64
    /// By a digest that securityd makes of its identity.
    package var principal: Bytes16

    package init(number: UInt64, principal: Bytes16) {
        self.number = number
        self.principal = principal
    }
}

/// For whom, and for what, the key of a row with constraints is asked for.
package struct KeyUse: Hashable, Sendable {
    package var context: ContextReference
    package var operation: AccessConstraints.Operation

    package init(_ context: ContextReference, for operation: AccessConstraints.Operation) {
        self.context = context
        self.operation = operation
    }
}

/// Whether constraints are satisfied for an operation, in a context, for items of an access group.
package struct AccessQuestion: Hashable, Sendable {
    package var use: KeyUse
    package var constraints: AccessConstraints
    package var groupDigest: Bytes16

    package init(_ use: KeyUse, _ constraints: AccessConstraints, groupDigest: Bytes16) {
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

/// Why nothing can satisfy constraints now. The numbers are on the wire.
package enum AccessObstacle: UInt8, CaseIterable, Sendable {
    /// A person is asked for, and there is no passcode to know them by.
    case noPasscode = 1
    /// The operation is refused whoever asks.
    case never = 2
    case noBiometry = 3
    /// Other biometrics are enrolled than when the item was stored.
    case enrolmentChanged = 4
    /// A device nearby is asked for, and this version knows none.
    case noCompanion = 5

    /// What a program is told: never that the item is not there.
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

/// What came of the evaluation of constraints.
package enum AccessEvaluation: Hashable, Sendable {
    case satisfied
    /// Any of these leads nearer: one is given, and then it is evaluated anew. Never empty.
    case needs(Set<AccessFactor>)
    case impossible(AccessObstacle)

    /// Throws where it is not satisfied: with the cause `needsPerson` where that can be changed.
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

/// What a person shows their presence for when no item is named. The numbers are Apple's `LAPolicy`, and on the wire.
package enum AuthenticationPolicy: UInt8, CaseIterable, Sendable {
    /// By a biometric, and by nothing else.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// By the passcode or a biometric.
    case deviceOwnerAuthentication = 2
}

/// A row key under the class key that seals now, or why there is none.
package enum RewrappedRowKey: Sendable {
    case key(classKeyID: UInt32, wrapped: [UInt8])
    case failure(KeychainError)
}

extension WrappedRowKey {
    /// The same row's key as it is wrapped now, or why it is not.
    package func replaced(by key: RewrappedRowKey) -> Result<WrappedRowKey, KeychainError> {
        switch key {
        case .key(let classKeyID, let wrapped):
            .success(WrappedRowKey(classKeyID: classKeyID, wrapped: wrapped, context: context))
        case .failure(let error): .failure(error)
        }
    }
}
