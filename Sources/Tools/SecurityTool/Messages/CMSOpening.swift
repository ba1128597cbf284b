import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel

/// Opens enveloped messages: finds a recipient whose private key is in a keychain, and uses that key there.
struct CMSOpening {
    private let verb: CMSVerb

    init(_ verb: CMSVerb) { self.verb = verb }

    /// The most uses of private keys for one message.
    ///
    /// Its sender chooses the number of recipients, and each use may need a prompt.
    private static let mostAttempts = 8

    /// - Throws: `errSecItemNotFound` if no keychain has a recipient's key, and `errSecDecode` if such a key does not
    ///   open the message. A person's refusal is thrown too, and ends the attempts.
    func opened(_ message: CMSMessage) throws(KeychainError) -> CMSContent {
        let identities = try verb.search.certificates().filter(\.hasPrivateKey)
        let (batches, areAll) = Self.batches(identities, beside: message)
        var failure =
            areAll
            ? KeychainError(.itemNotFound, "the message is for nobody whose private key a keychain here has")
            : FormatFailure.tooLarge.error
        var (message, tried) = (message, Set<[UInt8]>())
        for batch in batches {
            message.certificates = batch.map(\.der)
            message.key = nil
            for recipient in try verb.context.keychain.read(message).recipients {
                guard let place = Int(exactly: recipient.certificate), batch.indices.contains(place),
                    tried.count < Self.mostAttempts, tried.insert(batch[place].der).inserted
                else { continue }
                do throws(KeychainError) {
                    message.certificates = []
                    message.key = CMSKey(of: recipient.number, try key(recipient, of: batch[place]))
                    return try verb.context.keychain.read(message)
                } catch {
                    guard Self.mayAnotherOpen(after: error) else { throw error }
                    failure = error
                }
            }
        }
        throw failure
    }

    /// Whether the error concerns this recipient only.
    private static func mayAnotherOpen(after error: KeychainError) -> Bool {
        [.decode, .unsupportedFormat, .itemNotFound].contains(error.status)
    }

    /// The certificates in batches that fit beside the message, and whether each of them fits.
    static func batches(
        _ all: [StoredCertificate], beside message: CMSMessage
    ) -> (batches: [[StoredCertificate]], areAll: Bool) {
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
        if !batch.isEmpty { batches.append(batch) }
        return (batches, all.allSatisfy { $0.der.count <= room })
    }

    /// The result of the private key for the recipient's part of the message.
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
            return try X963KeyDerivation.key(
                secret, digest, count: Int(clamping: recipient.keyBytes), info: recipient.info)
        default: break
        }
        throw KeychainError(
            .unsupportedFormat, "the message is encrypted for “\(certificate.name)” in a way that is not known here")
    }

    /// Decrypts the content's key.
    ///
    /// A key that does not match and a message that was changed give the same error, so that the sender of many learns
    /// nothing.
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
