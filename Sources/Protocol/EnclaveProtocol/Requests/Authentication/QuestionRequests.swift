import ChatelaineModel

// Contexts belong to a store, and are forgotten when it is locked or closed.

/// Evaluates whether a row with these constraints could be used. It opens nothing.
package struct EvaluateQuestion: EnclaveStoreRequest {
    package typealias Reply = AccessEvaluation

    package static let operation = EnclaveOperation.evaluate

    package let store: StoreIdentifier
    package let question: AccessQuestion

    package init(_ question: AccessQuestion, in store: StoreIdentifier) {
        (self.store, self.question) = (store, question)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, question)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        question = try fields.read(EnclaveField.subject)
    }
}

/// Checks the passcode for one question; the context records a right one.
package struct ProveQuestion: EnclavePasscodeRequest {
    package static let operation = EnclaveOperation.prove

    package let store: StoreIdentifier
    package let question: AccessQuestion
    package let origin: PasscodeOrigin

    package init(_ question: AccessQuestion, _ origin: PasscodeOrigin, in store: StoreIdentifier) {
        (self.store, self.question, self.origin) = (store, question, origin)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, question)
        writer.write(EnclaveField.program, origin.program)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        question = try fields.read(EnclaveField.subject)
        origin = try fields.readOrigin(.program)
    }
}

/// Waits for a biometric for one question. The context records a match.
package struct MatchQuestion: EnclaveMatchRequest {
    package static let operation = EnclaveOperation.match

    package let store: StoreIdentifier
    package let question: AccessQuestion

    package init(_ question: AccessQuestion, in store: StoreIdentifier) {
        (self.store, self.question) = (store, question)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, question)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        question = try fields.read(EnclaveField.subject)
    }
}
