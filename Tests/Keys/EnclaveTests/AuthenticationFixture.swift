import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

@testable import Enclave

extension AccessConstraints {
    /// The constraints that `SecAccessControlCreateWithFlags` makes of one constraint.
    static func decrypting(
        _ constraint: AccessConstraint, applicationPassword: Bool = false
    ) -> AccessConstraints {
        var constraints = AccessConstraints()
        constraints.operations = [.decrypt: constraint, .encrypt: .always, .delete: .always]
        constraints.needsApplicationPassword = applicationPassword
        return constraints
    }
}

extension RowContext {
    static func sample(
        _ store: StoreIdentifier, _ constraint: AccessConstraint, applicationPassword: Bool = false,
        _ accessibility: Accessibility = .whenUnlocked
    ) -> RowContext {
        var context = sample(store, accessibility)
        context.constraints = .decrypting(constraint, applicationPassword: applicationPassword)
        return context
    }

    func question(
        in context: ContextReference, _ operation: AccessConstraints.Operation = .decrypt
    ) -> AccessQuestion {
        AccessQuestion(
            KeyUse(context, for: operation), constraints ?? AccessConstraints(), groupDigest: groupDigest)
    }
}

extension ContextReference {
    static func sample(_ number: UInt64, of principal: UInt8 = 1) -> ContextReference {
        ContextReference(number: number, principal: Bytes16(repeating: principal))
    }

    var decrypting: KeyUse { KeyUse(self, for: .decrypt) }
    var encrypting: KeyUse { KeyUse(self, for: .encrypt) }
}

/// Biometrics whose state a test sets.
struct FakeBiometry: BiometrySource {
    var enrolledSet: Bytes16?
    var match = BiometryMatch.unavailable

    func enrolment() -> BiometryEnrolment { enrolledSet.map { .set($0) } ?? .nothing }

    func match(while isAwaited: () -> Bool) -> BiometryMatch { match }
}

/// Short requests about rows with constraints.
///
/// Each throws the failure in the reply.
extension Enclave {
    func checked<Request: EnclaveRequest>(_ request: Request, _ passcodes: String...) throws -> Request.Reply {
        try answer(request, passcodes: passcodes.map { SecretBytes(Array($0.utf8)) }).get()
    }

    func evaluate(_ question: AccessQuestion, in store: StoreIdentifier) throws -> AccessEvaluation {
        try checked(EvaluateQuestion(question, in: store))
    }

    func create(_ row: RowContext, for use: KeyUse?) throws -> (key: SecretBytes, row: WrappedRowKey) {
        let keys = try checked(CreateRowKeys([row], for: use, in: row.store))
        guard keys.count == 1 else { throw Unexpected() }
        var bound = row
        bound.constraints = keys[0].constraints
        return (keys[0].key, keys[0].wrapped(in: bound))
    }

    func open(_ row: WrappedRowKey, for use: KeyUse?) throws -> SecretBytes {
        let keys = try checked(OpenRowKeys([row], for: use, in: row.context.store))
        guard keys.count == 1 else { throw Unexpected() }
        return try keys[0].get()
    }

    func rewrap(_ row: WrappedRowKey) throws -> WrappedRowKey {
        let keys = try checked(RewrapRowKeys([row], in: row.context.store))
        guard keys.count == 1 else { throw Unexpected() }
        switch keys[0] {
        case .key(let id, let wrapped): return WrappedRowKey(classKeyID: id, wrapped: wrapped, context: row.context)
        case .failure(let error): throw error
        }
    }

    func setPassword(
        _ password: String?, isTyped: Bool = false, of context: ContextReference, in store: StoreIdentifier
    ) throws {
        let request = SetCredential(context, isPresent: password != nil, isTyped: isTyped, in: store)
        let passwords = password.map { [SecretBytes(Array($0.utf8))] } ?? []
        _ = try answer(request, passcodes: passwords).get()
    }
}
