import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel

/// Opens enveloped messages: finds out which private key of the keychains one is for, and has that used where it is.
struct CMSOpening {
    private let verb: CMSVerb

    init(_ verb: CMSVerb) { self.verb = verb }

    /// - Throws: `errSecItemNotFound` where it is for nobody whose key is here, and what using the last such key failed with.
    func opened(_ message: CMSMessage) throws(KeychainError) -> CMSContent {
        let identities = try verb.search.certificates().filter(\.hasPrivateKey)
        var failure = KeychainError(.itemNotFound, "the message is for nobody whose private key a keychain here has")
        var message = message
        for batch in Self.batches(identities, beside: message) {
            message.certificates = batch.map(\.der)
            message.key = nil
            for recipient in try verb.context.keychain.read(message).recipients {
                guard let place = Int(exactly: recipient.certificate), batch.indices.contains(place) else { continue }
                do throws(KeychainError) {
                    message.certificates = []
                    message.key = CMSKey(of: recipient.number, try key(recipient, of: batch[place]))
                    return try verb.context.keychain.read(message)
                } catch { failure = error }
            }
        }
        throw failure
    }

    /// So many as there is room for beside the message, and more in the next question.
    static func batches(_ all: [StoredCertificate], beside message: CMSMessage) -> [[StoredCertificate]] {
        let room = FormatLimits.maximumFileBytes - message.byteCount - CMSLimits.maximumKeyBytes
        var (batches, batch, bytes) = ([[StoredCertificate]](), [StoredCertificate](), 0)
        for certificate in all where certificate.der.count <= room {
            if batch.count == CMSLimits.maximumCertificates || bytes + certificate.der.count > room {
                batches.append(batch)
                (batch, bytes) = ([], 0)
            }
            batch.append(certificate)
            bytes += certificate.der.count
        }
        return batch.isEmpty ? batches : batches + [batch]
    }

    /// What the private key makes of what the message has for it.
    private func key(
        _ recipient: CMSRecipient, of certificate: StoredCertificate
    ) throws(KeychainError) -> SecretBytes {
        guard let key = try verb.search.privateKey(of: certificate), let kind = key.item.key?.kind else {
            throw KeychainError(.itemNotFound, "the private key of “\(certificate.name)” is not there any more")
        }
        switch (recipient.method, kind) {
        case (.pkcs1, .rsa): return try decrypted(recipient, "algid:encrypt:RSA:PKCS1", key)
        case (.oaep, .rsa):
            return try decrypted(
                recipient, "algid:encrypt:RSA:OAEP:\(recipient.digest?.name ?? CMSDigest.sha1.name)", key)
        case (.agreement, .ec):
            guard let name = recipient.digest?.name, let digest = KeyDigest(rawValue: name) else { break }
            let secret = try verb.context.use(
                key,
                .agree(algorithm: KeyAlgorithm.plainKeyExchange, with: recipient.publicKey, size: 0, info: []))
            return try KeyDerivation.x963(
                secret, digest, count: Int(clamping: recipient.keyBytes), info: recipient.info)
        default: break
        }
        throw KeychainError(
            .unsupportedFormat, "the message is encrypted for “\(certificate.name)” in a way that is not known here")
    }

    /// One that is not for the key, and one that was changed, end alike: whoever sends many is told nothing by it.
    private func decrypted(
        _ recipient: CMSRecipient, _ algorithm: String, _ key: StoredItem
    ) throws(KeychainError) -> SecretBytes {
        do throws(KeychainError) {
            return try verb.context.use(key, .decrypt(algorithm: algorithm, recipient.encrypted))
        } catch {
            throw error.status == .decode || error.status == .param ? FormatFailure.notOpened.error : error
        }
    }
}
