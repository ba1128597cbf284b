import ChatelaineModel

/// Evaluates whether a policy is satisfied in a context. It opens nothing.
package struct EvaluateContextPolicy: EnclaveStoreRequest {
    package typealias Reply = AccessEvaluation

    package static let operation = EnclaveOperation.evaluatePolicy

    package let store: StoreIdentifier
    package let policy: AuthenticationPolicy
    package let context: ContextReference

    package init(_ policy: AuthenticationPolicy, _ context: ContextReference, in store: StoreIdentifier) {
        (self.store, self.policy, self.context) = (store, policy, context)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, policy)
        writer.write(EnclaveField.use, context)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        policy = try fields.read(EnclaveField.subject)
        context = try fields.read(EnclaveField.use)
    }
}

/// Checks the passcode for a policy, which counts for every item of the principal. `errSecParam` for a policy that a
/// passcode does not satisfy.
package struct ProvePolicy: EnclavePasscodeRequest {
    package static let operation = EnclaveOperation.provePolicy

    package let store: StoreIdentifier
    package let policy: AuthenticationPolicy
    package let context: ContextReference
    package let origin: PasscodeOrigin

    package init(
        _ policy: AuthenticationPolicy, _ context: ContextReference, _ origin: PasscodeOrigin,
        in store: StoreIdentifier
    ) {
        (self.store, self.policy, self.context, self.origin) = (store, policy, context, origin)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, policy)
        writer.write(EnclaveField.use, context)
        writer.write(EnclaveField.program, origin.program)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        policy = try fields.read(EnclaveField.subject)
        context = try fields.read(EnclaveField.use)
        origin = try fields.readOrigin(.program)
    }
}

/// Checks the passcode for everything that a passcode satisfies, for every item of the principal: for one request that
/// concerns all of them.
package struct ProvePasscode: EnclavePasscodeRequest {
    package static let operation = EnclaveOperation.provePasscode

    package let store: StoreIdentifier
    package let context: ContextReference
    package let origin: PasscodeOrigin

    package init(_ context: ContextReference, _ origin: PasscodeOrigin, in store: StoreIdentifier) {
        (self.store, self.context, self.origin) = (store, context, origin)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.use, context)
        writer.write(EnclaveField.program, origin.program)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        context = try fields.read(EnclaveField.use)
        origin = try fields.readOrigin(.program)
    }
}

/// Waits for a biometric for a policy, which counts for every item of the principal.
package struct MatchPolicy: EnclaveMatchRequest {
    package static let operation = EnclaveOperation.matchPolicy

    package let store: StoreIdentifier
    package let policy: AuthenticationPolicy
    package let context: ContextReference

    package init(_ policy: AuthenticationPolicy, _ context: ContextReference, in store: StoreIdentifier) {
        (self.store, self.policy, self.context) = (store, policy, context)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, policy)
        writer.write(EnclaveField.use, context)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        policy = try fields.read(EnclaveField.subject)
        context = try fields.read(EnclaveField.use)
    }
}
