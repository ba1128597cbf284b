import ChatelaineModel

/// Gets the state of biometrics from securityd-match.
package struct ReadBiometry: EnclaveBareRequest {
    package typealias Reply = BiometryReport

    package static let operation = EnclaveOperation.biometryReport

    package let store: StoreIdentifier

    package init(_ store: StoreIdentifier) { self.store = store }
}

/// Sets the program's password for a context, or removes it.
///
/// One that a person has typed is forgotten where it opens no item, so that the person is asked again.
package struct SetCredential: EnclaveSecretRequest {
    package typealias Reply = Done

    package static let operation = EnclaveOperation.setCredential

    package let store: StoreIdentifier
    package let context: ContextReference
    package let isPresent: Bool
    package let isTyped: Bool

    package init(_ context: ContextReference, isPresent: Bool, isTyped: Bool = false, in store: StoreIdentifier) {
        (self.store, self.context, self.isPresent, self.isTyped) = (store, context, isPresent, isTyped)
    }

    /// The program's password counts as a passcode that is only kept.
    package var passcodes: RequestPasscodes? {
        isPresent ? RequestPasscodes(from: .program(context.principal), at: .credential) : nil
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, isPresent)
        writer.write(EnclaveField.use, context)
        writer.write(EnclaveField.isTyped, isTyped)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        isPresent = try fields.read(EnclaveField.subject)
        context = try fields.read(EnclaveField.use)
        isTyped = try fields.read(EnclaveField.isTyped)
    }
}

/// Sets for how many seconds a biometric match in another context of the same principal counts in this one.
///
/// 300 seconds at the most; 0 for none.
package struct AllowReuse: EnclaveStoreRequest {
    package typealias Reply = Done

    package static let operation = EnclaveOperation.allowReuse

    package let store: StoreIdentifier
    package let context: ContextReference
    package let seconds: UInt32

    package init(_ context: ContextReference, seconds: UInt32, in store: StoreIdentifier) {
        (self.store, self.context, self.seconds) = (store, context, seconds)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, seconds)
        writer.write(EnclaveField.use, context)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        seconds = try fields.read(EnclaveField.subject)
        context = try fields.read(EnclaveField.use)
    }
}

/// Forgets all contexts with a number, in every store; also done where there is none.
package struct EndContext: EnclaveRequest {
    package typealias Reply = Done

    package static let operation = EnclaveOperation.endContext

    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(EnclaveField.subject, number) }

    package init(fields: inout CBORMap) throws(CBORError) { number = try fields.read(EnclaveField.subject) }
}
