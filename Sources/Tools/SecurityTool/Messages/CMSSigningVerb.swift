import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Glibc

/// `cms -S`: makes the message twice, because the one without a signature contains what has to be signed.
enum CMSSigningVerb {
    static func message(_ verb: CMSVerb, of content: SecretBytes) throws -> SecretBytes {
        let (arguments, context) = (verb.arguments, verb.context)
        let digest = try digest(arguments.value(of: "H"))
        let (name, identifier) = (arguments.value(of: "N"), arguments.value(of: "Z"))
        guard (name == nil) != (identifier == nil) else { throw MacUsage("who signs is said by -N or by -Z") }
        return try CMSVerb.encoding { () throws(KeychainError) in
            let all = try verb.search.certificates()
            let people = CMSCertificateLookup(all)
            let signer =
                if let name { try people.signer(named: name) } else {
                    try people.signer(keyIdentifier: identifier ?? "")
                }
            guard let key = try verb.search.privateKey(of: signer), let kind = key.item.key?.kind else {
                throw KeychainError(.itemNotFound, "the private key of “\(signer.name)” is not there any more")
            }
            var signing = CMSSigning(signer.der, digest)
            signing.others = try issuers(of: signer, among: all, verb)
            signing.isDetached = arguments.has("T")
            signing.hasCapabilities = arguments.has("P")
            if arguments.has("G") { signing.signingTime = Int64(time(nil)) }
            if let word = arguments.value(of: "Y"), word != "NONE" {
                signing.preference = try people.preferred(word).der
            }
            var order = CMSOrder(content, .sign(signing))
            guard order.byteCount + CMSLimits.maximumSignatureBytes <= FormatLimits.maximumFileBytes else {
                throw FormatFailure.tooLarge.error
            }
            let attributes = try context.keychain.write(order)
            let bytes = try signature(kind, digest, of: content, over: attributes, by: key, context)
            signing.signature = bytes.withUnsafeBytes { [UInt8]($0) }
            order.work = .sign(signing)
            return try context.keychain.write(order)
        }
    }

    private static func digest(_ word: String?) throws(MacUsage) -> CMSDigest {
        guard let word else { return .sha256 }
        guard let digest = CMSDigest.allCases.first(where: { $0.name == word.uppercased() }) else {
            throw MacUsage("\(word) is no digest that is signed here: SHA1, SHA256, SHA384 or SHA512")
        }
        return digest
    }

    /// The issuers of the signer that are in the keychains, without a root, which the recipient has to have.
    private static func issuers(
        of signer: StoredCertificate, among all: [StoredCertificate], _ verb: CMSVerb
    ) throws(KeychainError) -> [[UInt8]] {
        let chain = try IssuerCandidates(all).chain(of: signer).dropFirst()
        let roots = Set(all.filter { $0.report.map { $0.subject == $0.issuer } ?? true }.map(\.der))
        return chain.filter { !roots.contains($0) }
    }

    private static func signature(
        _ kind: KeyKind, _ digest: CMSDigest, of content: SecretBytes, over attributes: SecretBytes,
        by key: StoredItem, _ context: ToolContext
    ) throws(KeychainError) -> SecretBytes {
        let scheme =
            switch kind {
            case .rsa: "algid:sign:RSA:digest-PKCS1v15:"
            case .ec: "algid:sign:ECDSA:digest-X962:"
            case .ed25519, .x25519, .aes: throw FormatFailure.unsupportedKey.error
            }
        guard let known = KeyDigest(rawValue: digest.name) else { throw FormatFailure.unsupportedEncryption.error }
        let wanted = try content.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try known.digest(of: bytes) }
        }.get()
        let bytes = try attributes.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in
                guard CMSAttributes.are(bytes, of: wanted) else {
                    throw KeychainError(.internalComponent, "formatd has something signed that is not of this message")
                }
                return try known.digest(of: bytes)
            }
        }.get()
        return try context.use(key, .sign(algorithm: scheme + digest.name, bytes))
    }
}

extension ToolContext {
    /// Uses a private key of any keychain for a task; a person may be asked.
    func use(_ key: StoredItem, _ task: KeyTask) throws(KeychainError) -> SecretBytes {
        try task.validate()
        switch key {
        case .protected(let item): return try keychain.useKey(KeyUsage(item.identifier, task))
        case .file(let item):
            let reference = item.reference
            return try keychain.useKey(
                KeyUsage(reference.item.identifier, task), in: KeychainScope(paths: [item.path], items: [reference]))
        }
    }
}
