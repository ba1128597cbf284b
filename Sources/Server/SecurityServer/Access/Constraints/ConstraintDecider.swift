import ChatelaineModel
import EnclaveProtocol
import ItemStore

/// Decides by the constraints of an item, as the key custodian evaluates them (ARCHITECTURE.md, *Access control*).
///
/// This evaluation opens nothing: the custodian evaluates again when the key is asked for. It has two purposes: no
/// person is asked in vain, and operations that need no key, such as a deletion, are decided too. An item without
/// constraints costs one look.
struct ConstraintDecider: AccessDecider {
    let enclave: EnclaveConnection

    func decide(
        _ operation: RowOperation, on row: RowAccess, for caller: Caller, in keychain: OpenedKeychain,
        _ authentication: inout RequestAuthentication
    ) throws(KeychainError) -> AccessDecision {
        guard let constraints = row.constraints, let constrained = operation.constrained(of: row.keyCustody),
            constraints.constrains(constrained)
        else { return .allowed }
        let use = authentication.use(constrained, by: caller, in: keychain)
        let (context, store) = (authentication.context(), row.context.store)
        let question = AccessQuestion(use, constraints, groupDigest: row.context.groupDigest)
        let satisfied = SatisfiedQuestion(question: question, store: store)
        // This saves one round trip to the custodian, which decides anew when it is asked for the secret's key next.
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

    /// Checks the program's password by opening the row's key with it.
    ///
    /// Only that shows that the password is right, and an update may need no key.
    private func prove(
        _ use: KeyUse, on row: RowAccess, _ constraints: AccessConstraints
    ) throws(KeychainError) {
        guard constraints.needsApplicationPassword, let wrapped = try row.wrappedKey() else { return }
        let keys = EnclaveKeySource(enclave: enclave)
        for key in try keys.openRowKeys([wrapped], for: use, in: row.context.store) { _ = try key.get() }
    }

}

extension RowAccess {
    /// The name of the item for people.
    func title() throws(KeychainError) -> String {
        let attributes = try attributes()
        for key in [AttributeKey.label, .service, .server, .account] {
            if case .text(let text)? = attributes[key], !text.isEmpty { return text }
        }
        return "an item without a name"
    }
}

extension RowOperation {
    /// Whether the next step of the operation always asks the custodian for the row's key.
    fileprivate var opensAtOnce: Bool {
        switch self {
        case .readSecret, .sign, .decrypt, .agree, .wrap, .unwrap: true
        case .readAttributes, .update, .delete, .add: false
        }
    }

    /// The constrained operation that protects this operation; nil where only the protection class protects it.
    fileprivate func constrained(of custody: KeyCustody?) -> AccessConstraints.Operation? {
        switch self {
        case .readAttributes: nil
        // The bytes of a key that the daemons use are never read, and any program may make a key.
        case .readSecret where custody != nil, .add where custody != nil: nil
        case .update where custody != nil: custody?.changing
        case .sign: .sign
        case .decrypt: .decapsulate
        case .agree: .computeSharedSecret
        // Otherwise a program that may not read an item could replace its content unnoticed.
        case .readSecret, .update, .wrap, .unwrap: .decrypt
        case .delete: .delete
        case .add: .encrypt
        }
    }
}

/// The question for which a passcode or a finger is given.
enum ProofQuestion: Sendable {
    /// Items with such constraints.
    case items(AccessQuestion)
    /// All items of the principal.
    case policy(AuthenticationPolicy, ContextReference)

    /// The request that proves a typed passcode for the question.
    func request(in store: StoreIdentifier) -> any EnclavePasscodeRequest {
        // Tries in dialogs are counted apart from tries of programs, so that no program can make the person wait.
        switch self {
        case .items(let question): ProveQuestion(question, .agent, in: store)
        case .policy(let policy, let context): ProvePolicy(policy, context, .agent, in: store)
        }
    }

    /// Waits for a finger that answers the question.
    func match(
        by enclave: EnclaveConnection, in store: StoreIdentifier, until stop: MatchCancellation
    ) throws(KeychainError) -> MatchReport {
        switch self {
        case .items(let question): try enclave.match(question, in: store, until: stop)
        case .policy(let policy, let context): try enclave.matchPolicy(policy, context, in: store, until: stop)
        }
    }
}

/// Checks a passcode that is typed for one question.
///
/// It unlocks nothing; the custodian notes for what it was typed.
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
        do throws(KeychainError) {
            return PasscodeVerdict(
                try context.noting { () throws(KeychainError) in
                    try enclave.call(question.request(in: store), passcodes: [pipe])
                })
        } catch {
            // The passcode was removed while the dialog was shown. The custodian has noted nothing, and the request
            // finds out what that means when it is decided anew.
            guard try !standing().hasPasscode else { throw error }
            return .right
        }
    }
}

/// Takes the item's password, typed in a dialog.
///
/// Whether it is right shows only when it opens the item. The custodian forgets one that does not.
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
            try enclave.setCredential(reference, from: pipe, isTyped: true, in: store)
        }
        return .right
    }
}
