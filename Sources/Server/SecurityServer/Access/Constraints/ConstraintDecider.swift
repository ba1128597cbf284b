import ChatelaineModel
import EnclaveProtocol
import ItemStore

/// Decides by the constraints of an item, as the key custodian evaluates them (ARCHITECTURE.md, *Access control*).
///
/// What it says opens nothing: the custodian evaluates again when the key is asked for. It is there so that nobody is asked for nothing, and so
/// that what needs no key, as a deletion does, is not done by whoever may not. An item without constraints costs it one look.
struct ConstraintDecider: AccessDecider {
    let enclave: EnclaveConnection

    func decide(
        _ operation: RowOperation, on row: RowAccess, for caller: Caller, in keychain: OpenedKeychain,
        _ authentication: inout RequestAuthentication
    ) throws(KeychainError) -> AccessDecision {
        guard let constraints = row.constraints, let constrained = operation.constrained(of: row.privateKeyUse),
            constraints.constrains(constrained)
        else { return .allowed }
        let use = authentication.use(constrained, by: caller, in: keychain)
        let (context, store) = (authentication.context(), row.context.store)
        let question = AccessQuestion(use, constraints, groupDigest: row.context.groupDigest)
        let satisfied = SatisfiedQuestion(question: question, store: store)
        // One way to the custodian instead of two: it decides anew when it is asked for the secret's key, which comes next.
        if operation.opensAtOnce, authentication.wasSatisfied(satisfied) { return .allowed }
        switch try enclave.evaluate(question, in: store) {
        case .satisfied:
            if operation.opensAtOnce { authentication.note(satisfied) }
            if operation == .update { try prove(use, on: row, constraints) }
            return .allowed
        case .impossible(let obstacle): return .refused(obstacle.error)
        case .needs(let factors):
            let finger =
                factors.contains(.biometry)
                ? QuestionMatching(enclave, .items(question), in: store, noting: context) : nil
            if factors.contains(.passcode) {
                let passcode = QuestionChecking(enclave, .items(question), in: store, noting: context)
                return .needsPerson(try row.title(), by: .passcode(taking: passcode, orFinger: finger))
            }
            if let finger { return .needsPerson(try row.title(), by: .finger(finger)) }
            if factors.contains(.applicationPassword) {
                return .needsPerson(
                    try row.title(),
                    by: .password(
                        isNew: operation == .add,
                        taking: ApplicationPasswordChecking(enclave, use.context, in: store, noting: context)))
            }
            return .refused(AccessObstacle.noBiometry.error)
        }
    }

    /// Has a password of the program's open the row's key: that is what shows that it is the right one, and an update may need no key.
    private func prove(
        _ use: KeyUse, on row: RowAccess, _ constraints: AccessConstraints
    ) throws(KeychainError) {
        guard constraints.needsApplicationPassword, let wrapped = try row.wrappedKey() else { return }
        let keys = EnclaveKeySource(enclave: enclave)
        for key in try keys.openRowKeys([wrapped], for: use, in: row.context.store) { _ = try key.get() }
    }

}

extension RowAccess {
    /// What the item is called, for people.
    func title() throws(KeychainError) -> String {
        let attributes = try attributes()
        for key in [AttributeKey.label, .service, .server, .account] {
            if case .text(let text)? = attributes[key], !text.isEmpty { return text }
        }
        return "an item without a name"
    }
}

extension RowOperation {
    /// Whether the custodian is asked for what it stands before, next and in any case.
    fileprivate var opensAtOnce: Bool {
        switch self {
        case .readSecret, .sign, .decrypt, .agree: true
        case .readAttributes, .update, .delete, .add: false
        }
    }

    /// The operation of the constraints that stands before it; nil where the protection class alone does.
    fileprivate func constrained(of use: PrivateKeyUse?) -> AccessConstraints.Operation? {
        switch self {
        case .readAttributes: nil
        // Its bytes are not read by that, anybody makes one, and whoever may calculate with it may call it something else.
        case .readSecret where use != nil, .add where use != nil: nil
        case .update where use != nil, .sign: .sign
        case .decrypt: .decapsulate
        case .agree: .computeSharedSecret
        // Who may not read an item may not exchange it under its name unseen.
        case .readSecret, .update: .decrypt
        case .delete: .delete
        case .add: .encrypt
        }
    }
}

/// What a passcode or a finger is given for.
enum ProofQuestion: Sendable {
    /// Items with such constraints.
    case items(AccessQuestion)
    /// All items of the principal's.
    case policy(AuthenticationPolicy, ContextReference)

    /// The passcode that is typed for it.
    func request(in store: StoreIdentifier) -> EnclaveRequest {
        // Counted apart from what programs try: none of them has the person wait.
        switch self {
        case .items(let question): .prove(question, .agent, in: store)
        case .policy(let policy, let context): .provePolicy(policy, context, .agent, in: store)
        }
    }

    /// Waits for a finger for it.
    func match(
        by enclave: EnclaveConnection, in store: StoreIdentifier, until stop: MatchCancellation
    ) throws(KeychainError) -> MatchReport {
        switch self {
        case .items(let question): try enclave.match(question, in: store, until: stop)
        case .policy(let policy, let context): try enclave.matchPolicy(policy, context, in: store, until: stop)
        }
    }
}

/// The passcode, typed for one question. It unlocks nothing; the custodian notes what it was typed for.
struct QuestionChecking: PasscodeChecking {
    private let enclave: EnclaveConnection
    private let question: ProofQuestion
    private let store: StoreIdentifier
    private let context: AuthenticationContext

    init(
        _ enclave: EnclaveConnection, _ question: ProofQuestion, in store: StoreIdentifier,
        noting context: AuthenticationContext
    ) {
        (self.enclave, self.question, self.store, self.context) = (enclave, question, store, context)
    }

    func standing() throws(KeychainError) -> PasscodeStanding {
        PasscodeStanding(try enclave.passcodeReport(for: .agent, in: store))
    }

    func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
        PasscodeVerdict(
            try context.noting { () throws(KeychainError) in
                try enclave.call(question.request(in: store), passcodes: [pipe])
            })
    }
}

/// A password of the program's, typed in a dialog. That it is the right one shows when it opens the item.
struct ApplicationPasswordChecking: PasscodeChecking {
    private let enclave: EnclaveConnection
    private let reference: ContextReference
    private let store: StoreIdentifier
    private let context: AuthenticationContext

    init(
        _ enclave: EnclaveConnection, _ reference: ContextReference, in store: StoreIdentifier,
        noting context: AuthenticationContext
    ) {
        (self.enclave, self.reference, self.store, self.context) = (enclave, reference, store, context)
    }

    func standing() throws(KeychainError) -> PasscodeStanding { PasscodeStanding() }

    func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
        try context.noting { () throws(KeychainError) in
            try enclave.setCredential(reference, from: pipe, in: store)
        }
        return .right
    }
}
