import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// An identity of a PKCS#12 file, with the file's information about it.
package struct ImportedIdentity {
    package var identity: SecIdentity
    /// The identity's certificate first, then each issuer's in turn, as far as the file has them.
    package let chain: [SecCertificate]
    package let keyID: [UInt8]
    package let label: String?

    /// Makes a trust evaluation of the chain with the basic policy.
    package func trust() throws(KeychainError) -> SecTrust { try TrustCalls.make(chain, []) }
}

/// `SecPKCS12Import`, for Swift and for C alike.
package enum PKCS12Calls {
    private enum Option {
        static let passphrase = "passphrase"
        static let memoryOnly = "memory"
        /// The options for file keychains.
        static let (keychain, access) = ("keychain", "access")
    }

    /// - Throws: `errSecParam` for invalid data or options; `errSecPassphraseRequired`, `errSecAuthFailed` and
    ///   `errSecDecode` depending on the file; and the errors of storing items.
    package static func read(
        _ data: QueryValue, _ options: [QueryDictionary.Pair]
    ) throws(KeychainError) -> [ImportedIdentity] {
        let bytes = try ImportExportCalls.bytes(data)
        let isKept = options.last(where: { $0.key == Option.memoryOnly })?.value.isTrue != true
        let passphrase = try options.last { $0.key == Option.passphrase }
            .map { (pair) throws(KeychainError) in try ImportExportCalls.passphrase(pair.value) }
        let content = try KeychainClient.shared.read(
            ExternalFile(bytes, format: .pkcs12, passphrase: passphrase))
        let identities = try identities(of: content.items)
        return isKept ? try stored(identities, options) : identities
    }

    /// The attributes that the options give the items, under SecItem's names.
    private static func attributes(_ options: [QueryDictionary.Pair]) -> [QueryDictionary.Pair] {
        options.filter { ![Option.passphrase, Option.memoryOnly].contains($0.key) }.map { name, value in
            switch name {
            case Option.keychain: (kSecUseKeychain as String, value)
            case Option.access: (kSecAttrAccess as String, value)
            default: (name, value)
            }
        }
    }

    /// Stores identities and the certificates above them, and returns the identities of the keychain.
    ///
    /// All items are parsed before the first is stored. If one cannot be stored, those stored before it are deleted
    /// again. Existing items stay as they are.
    private static func stored(
        _ identities: [ImportedIdentity], _ options: [QueryDictionary.Pair]
    ) throws(KeychainError) -> [ImportedIdentity] {
        let attributes = attributes(options)
        let place = try NewIdentity.place(attributes)
        var (items, issuers) = ([NewIdentity](), [NewItem]())
        for imported in identities {
            let object = QueryValue.identity(
                certificate: imported.identity.certificate.der, imported.identity.privateKey)
            guard let item = try NewIdentity(attributes + [("v_Ref", object)]) else { continue }
            items.append(item)
            for certificate in imported.chain.dropFirst() {
                issuers.append(
                    try place.item(NewIdentity.pairs(attributes, .certificate, .certificate(certificate.der))))
            }
        }
        var (stored, new) = (identities, [StoredHalf]())
        do throws(KeychainError) {
            for issuer in issuers { if let half = try place.add(issuer, in: nil) { new.append(half) } }
            for (index, item) in items.enumerated() {
                stored[index].identity = try item.stored { new.append($0) }
            }
        } catch {
            throw error.leaving(new.reversed().count { (try? place.remove($0)) == nil })
        }
        return stored
    }

    /// Returns an identity for each private key that has a certificate; as on Apple's platforms, other keys are
    /// ignored.
    static func identities(of items: [ExternalItem]) throws(KeychainError) -> [ImportedIdentity] {
        var identities: [ImportedIdentity] = []
        for item in items where item.kind == .privateKey {
            guard case .key(let key) = try item.thing(), let place = certificate(of: key, in: items) else { continue }
            let chain = chain(from: place, in: items)
            guard let certificate = chain.first else { continue }
            var keyID = item.keyID ?? []
            if item.keyID == nil { keyID = try key.ownAttributes().label }
            identities.append(
                ImportedIdentity(
                    identity: SecIdentity(certificate: certificate, privateKey: key), chain: chain,
                    keyID: keyID, label: item.label ?? items[place].label))
        }
        return identities
    }

    /// The index of the certificate with the key's public half.
    static func certificate(of key: SecKey, in items: [ExternalItem]) -> Int? {
        items.firstIndex { item in
            if case .certificate(_, let publicKey) = item.content { publicKey == key.publicBytes } else { false }
        }
    }

    /// Follows the issuers, whose names formatd has compared; a circular chain ends where it began.
    private static func chain(from start: Int, in items: [ExternalItem]) -> [SecCertificate] {
        var (chain, seen, next) = ([SecCertificate](), Set<Int>(), Optional(start))
        while let place = next, items.indices.contains(place), seen.insert(place).inserted {
            guard case .certificate(let der, _) = items[place].content else { break }
            chain.append(SecCertificate(der: der))
            next = items[place].issuer.flatMap { Int(exactly: $0) }
        }
        return chain
    }
}

extension QueryValue {
    fileprivate var isTrue: Bool {
        if case .number(let number) = self { number != 0 } else { false }
    }
}
