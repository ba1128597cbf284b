import ChatelaineModel

/// Signs records that widen access, by their SHA-256; ``PasscodeReport/endorsement``.
///
/// The former signature counts until the new one is checked by ``CheckEndorsement``. `errSecInteractionNotAllowed`
/// while the store is locked.
package struct EndorseRecords: EnclavePasscodeRequest {
    package static let operation = EnclaveOperation.endorse

    package let store: StoreIdentifier
    package let origin: PasscodeOrigin
    package let digest: [UInt8]

    package init(_ digest: [UInt8], _ origin: PasscodeOrigin, in store: StoreIdentifier) {
        (self.store, self.origin, self.digest) = (store, origin, digest)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, origin.program)
        writer.write(EnclaveField.digest, digest)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        origin = try fields.readOrigin()
        digest = try fields.readDigest()
    }
}

/// Checks whether records are those that were signed last. Older signatures do not count afterwards.
///
/// `haveTrust` says whether trust settings are among the records. From then on ``PasscodeReport/hasSignedTrust``
/// reports that, whatever records securityd has.
package struct CheckEndorsement: EnclaveStoreRequest {
    package struct Reply: EnclaveReply {
        package static let kind = EnclaveReplyKind.isEndorsed

        package let isEndorsed: Bool

        package init(isEndorsed: Bool) { self.isEndorsed = isEndorsed }

        package func encodeFields(to writer: inout CBORWriter) { writer.write(EnclaveReplyField.values, isEndorsed) }

        package init(fields: inout CBORMap) throws(CBORError) {
            isEndorsed = try fields.read(EnclaveReplyField.values)
        }
    }

    package static let operation = EnclaveOperation.checkEndorsement

    package let store: StoreIdentifier
    package let endorsement: Endorsement
    package let digest: [UInt8]
    package let haveTrust: Bool

    package init(_ endorsement: Endorsement, of digest: [UInt8], haveTrust: Bool, in store: StoreIdentifier) {
        (self.store, self.endorsement, self.digest, self.haveTrust) = (store, endorsement, digest, haveTrust)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, endorsement)
        writer.write(EnclaveField.digest, digest)
        writer.write(EnclaveField.haveTrust, haveTrust)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        endorsement = try fields.read(EnclaveField.subject)
        digest = try fields.readDigest()
        haveTrust = try fields.read(EnclaveField.haveTrust)
    }
}
