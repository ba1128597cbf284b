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
        let isInMemory = try options.last { $0.key == Option.memoryOnly }
            .map { (pair) throws(KeychainError) in try pair.value.boolean(of: "kSecImportToMemoryOnly") }
        let passphrase = try options.last { $0.key == Option.passphrase }
            .map { (pair) throws(KeychainError) in try ImportExportCalls.passphrase(pair.value) }
        let content = try KeychainClient.shared.read(
            ExternalFile(bytes, format: .pkcs12, passphrase: passphrase))
        let identities = try identities(of: content.items)
        // A chain that is too long to be judged stores nothing.
        for identity in identities { _ = try identity.trust() }
        if isInMemory == true { return identities }
        return try stored(identities, certificates(of: content.items), options)
    }

    private static func certificates(of items: [ExternalItem]) -> [[UInt8]] {
        items.compactMap { item in if case .certificate(let der, _) = item.content { der } else { nil } }
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

    /// Stores identities and the file's other certificates, and returns the identities of the keychain.
    ///
    /// All items are parsed before the first is stored. If one cannot be stored, those stored before it are deleted
    /// again. Existing items stay as they are.
    private static func stored(
        _ identities: [ImportedIdentity], _ certificates: [[UInt8]], _ options: [QueryDictionary.Pair]
    ) throws(KeychainError) -> [ImportedIdentity] {
        let attributes = attributes(options)
        let place = try NewIdentity.place(attributes)
        var (items, others, own) = ([NewIdentity](), [NewItem](), Set<[UInt8]>())
        for imported in identities {
            let object = QueryValue.identity(
                certificate: imported.identity.certificate.der, imported.identity.privateKey)
            let label = imported.label ?? ImportIntoKeychain.privateKey
            guard let item = try NewIdentity(attributes + [("v_Ref", object)], keyLabel: label) else { continue }
            items.append(item)
            own.insert(imported.identity.certificate.der)
        }
        for der in certificates where own.insert(der).inserted {
            others.append(try place.item(NewIdentity.pairs(attributes, .certificate, .certificate(der))))
        }
        var (stored, new) = (identities, [StoredHalf]())
        do throws(KeychainError) {
            for other in others { if let half = try place.add(other, in: nil) { new.append(half) } }
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
            guard case .key(let key) = try item.thing(), let place = certificate(of: key, item.keyID, in: items)
            else { continue }
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
    ///
    /// If several have it, as a renewed one and its predecessor, the file's key id says which is the key's.
    private static func certificate(of key: SecKey, _ keyID: [UInt8]?, in items: [ExternalItem]) -> Int? {
        let places = items.indices.filter { place in
            if case .certificate(_, let publicKey) = items[place].content {
                publicKey == key.publicBytes
            } else {
                false
            }
        }
        return places.first { keyID != nil && items[$0].keyID == keyID } ?? places.first
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
