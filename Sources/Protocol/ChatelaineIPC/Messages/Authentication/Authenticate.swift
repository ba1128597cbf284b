import ChatelaineModel

/// Has a person show their presence for a policy.
///
/// Afterwards every item of the program that needs this presence opens on this connection.
package struct EvaluatePolicy: RequestMessage {
    package typealias Reply = AuthenticationOutcome

    package static let name = "an authentication"
    package static let needs = RequestNeeds.admittedCaller

    package let policy: AuthenticationPolicy
    package let question: AuthenticationQuestion

    package init(_ policy: AuthenticationPolicy, _ question: AuthenticationQuestion) {
        self.policy = policy
        self.question = question
    }

    package var operation: Operation { .evaluatePolicy }
    package var onlyAsksPerson: Bool { question.allowsInteraction }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.number, policy)
        writer.write(RequestField.question, question)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        policy = try fields.read(RequestField.number)
        question = try fields.read(RequestField.question)
    }
}

/// Has a person, or the program's password, satisfy an access control for an operation.
///
/// Afterwards items with this access control open on this connection.
package struct EvaluateAccessControl: RequestMessage {
    package typealias Reply = AuthenticationOutcome

    package static let name = "an authentication for an access control"
    package static let needs = RequestNeeds.admittedCaller

    package let use: AccessControlUse
    package let question: AuthenticationQuestion
    /// The constraints, without what is filled in when an item is stored.
    package let constraints: AccessConstraints

    package init(_ constraints: AccessConstraints, for use: AccessControlUse, _ question: AuthenticationQuestion) {
        self.constraints = constraints.unbound
        self.use = use
        self.question = question
    }

    package var operation: Operation { .evaluateAccessControl }
    package var onlyAsksPerson: Bool { question.allowsInteraction }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.number, use)
        writer.write(RequestField.question, question)
        writer.write(RequestField.constraints, constraints)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        use = try fields.read(RequestField.number)
        question = try fields.read(RequestField.question)
        let constraints: AccessConstraints = try fields.read(RequestField.constraints)
        guard constraints == constraints.unbound else { throw .outOfRange }
        self.constraints = constraints
    }
}

/// What an access control is evaluated for. The numbers are Apple's `LAAccessControlOperation`, and are on the wire.
package enum AccessControlUse: UInt8, CBORValue, CaseIterable, Sendable {
    case createItem = 0
    case useItem = 1
    case createKey = 2
    case useKeySign = 3
    case useKeyDecrypt = 4
    case useKeyKeyExchange = 5

    package var makesItems: Bool { self == .createItem || self == .createKey }

    /// The operation that the constraints have to allow; nil where the use needs nothing.
    ///
    /// Constraints for private keys name the operations of private keys alone, and any program may make or add such a
    /// key.
    package func operation(of constraints: AccessConstraints) -> AccessConstraints.Operation? {
        let isOfPrivateKey = constraints.operations[.decapsulate] != nil
        return switch self {
        case .createItem where isOfPrivateKey, .createKey where isOfPrivateKey: nil
        case .createItem, .createKey: .encrypt
        case .useKeyDecrypt where isOfPrivateKey: .decapsulate
        case .useItem, .useKeyDecrypt: .decrypt
        case .useKeySign: .sign
        case .useKeyKeyExchange: .computeSharedSecret
        }
    }
}

/// The outcome of an authentication. The numbers are on the wire.
package enum AuthenticationOutcome: UInt8, CBORValue, ReplyBody, CaseIterable, Sendable {
    case satisfied = 1
    /// The person gave a wrong answer as often as is allowed.
    case failed = 2
    case cancelledByPerson = 3
    /// The person asked for another way than a biometric.
    case fallback = 4
    /// The dialog was closed: the keychain was locked, or nobody answered in time.
    case cancelledBySystem = 5
    case noPasscode = 6
    case noBiometry = 7
    case noneEnrolled = 8
    /// Too many biometrics did not match: the passcode is needed.
    case lockedOut = 9
    /// No person can be asked, or may be.
    case notInteractive = 10
    /// The access control refuses every caller, or asks for a device nearby.
    case impossible = 11
}
