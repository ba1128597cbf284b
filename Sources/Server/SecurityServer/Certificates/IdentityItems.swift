import ChatelaineModel
import Crypto
import ItemStore

/// Identities of any keychain, which have no rows (behaviour/identities.md).
///
/// Each identity is a certificate and its private key, both visible to the caller. The key is found by its application
/// label, which is the hash of the certificate's public key.
enum IdentityItems {
    /// The two items that make an identity.
    private struct Halves {
        let certificate: FoundItem
        let key: FoundItem
    }

    /// The attributes that are searched in certificates; all others are searched in keys.
    private static let keysOfCertificates = Set(AttributeKey.derivedOfCertificates + [.label])

    /// The identities that a query describes; none where nothing matches.
    ///
    /// - Parameters:
    ///   - rows: finds certificates and keys.
    ///   - admits: whether a certificate meets the terms of the query. It is called only for certificates of
    ///     identities.
    ///   - first: finds the first certificate (`ItemStore.findFirst`), in a store that can.
    ///   - open: opens that certificate with its bytes.
    static func find(
        _ query: ItemQuery, rows: RowSearch,
        admits: (_ certificate: ItemIdentifier) throws(KeychainError) -> Bool,
        first: (_ query: ItemQuery) throws(KeychainError) -> SealedItem? = { _ in nil },
        open: (_ certificate: SealedItem) throws(KeychainError) -> FoundItem? = { _ in nil }
    ) throws(KeychainError) -> [FoundItem] {
        if let (certificates, keys) = queriesForOne(query), let certificate = try first(certificates),
            let keys = joining(certificate.item, to: keys),
            let hash = keys.attributes[.applicationLabel],
            let key = try rows(keys).first(where: { isPrivateKey($0, of: hash) }),
            let opened = try open(certificate)
        {
            var identity = item(Halves(certificate: opened, key: key), query.returns)
            identity.secret = opened.secret
            return [identity]
        }
        let terms = query.certificateTerms
        var plain = query
        plain.certificateTerms = terms.withoutVerdict
        // A judged certificate may be left out, and others take its place.
        var found = try joined(plain, limit: terms.needVerdict ? .max : query.limit.maximum, rows)
        if terms.needVerdict {
            var good: [Halves] = []
            for halves in found {
                guard good.count < query.limit.maximum else { break }
                if try admits(halves.certificate.identifier) { good.append(halves) }
            }
            found = good
        }
        guard query.returns.contains(.data) else { return found.map { item($0, query.returns) } }
        var named = half(of: query, .certificate)
        named.items = Array(Set(found.map(\.certificate.identifier)))
        named.returns = .data
        var certificates: [ItemIdentifier: FoundItem] = [:]
        for certificate in try rows(named) {
            certificates[certificate.identifier] = certificate
        }
        return found.compactMap { halves in
            // A certificate that was deleted meanwhile makes no identity.
            guard let certificate = certificates[halves.certificate.identifier] else { return nil }
            var item = item(halves, query.returns)
            item.secret = certificate.secret
            return item
        }
    }

    /// The queries for a search for one identity that names a certificate attribute; nil for other searches.
    ///
    /// Most queries name a certificate that is unique, and this way reads no row twice. If the first certificate has no
    /// key, the ordinary search looks at all.
    private static func queriesForOne(_ query: ItemQuery) -> (certificates: ItemQuery, keys: ItemQuery)? {
        guard query.limit == .one, query.returns.contains(.data), let keys = keys(of: query) else { return nil }
        var certificates = certificates(of: query)
        guard narrows(certificates), certificates.certificates == nil, certificates.certificateTerms.isEmpty else {
            return nil
        }
        certificates.limit = .one
        return (certificates, keys)
    }

    /// The query for the keys of a certificate; nil where the query excludes them.
    private static func joining(_ certificate: FoundItem, to keys: ItemQuery) -> ItemQuery? {
        guard let hash = certificate.attributes[.publicKeyHash],
            keys.attributes[.applicationLabel] == nil || keys.attributes[.applicationLabel] == hash
        else { return nil }
        var keys = keys
        keys.attributes[.applicationLabel] = hash
        return keys
    }

    /// The queries for the certificates of the identities, and for their keys.
    static func halves(of query: ItemQuery, rows: RowSearch) throws(KeychainError) -> [ItemQuery] {
        let found = try joined(query, limit: .max, rows)
        var (certificates, keys) = (half(of: query, .certificate), half(of: query, .key))
        // Empty lists find nothing. The store then reports that, since it knows whether the request was done before.
        certificates.items = Array(Set(found.map(\.certificate.identifier)))
        keys.items = Array(Set(found.map(\.key.identifier)))
        return [certificates, keys]
    }

    /// Splits a change of identities into changes of the certificates and of the keys (behaviour/identities.md, 8).
    ///
    /// Each gets the attributes that it can have.
    ///
    /// - Throws: `errSecParam` for other bytes.
    static func changes(_ change: ItemChange) throws(KeychainError) -> (certificate: ItemChange, key: ItemChange) {
        try CertificateItems.validate(change)
        var (certificate, key) = (change, change)
        certificate.attributes = attributes(change.attributes, of: .certificate)
        key.attributes = attributes(change.attributes, of: .key)
        // A certificate is readable by every caller that may see it. Of an access control it takes only the protection
        // class.
        (certificate.constraints, certificate.access) = (nil, nil)
        return (certificate, key)
    }

    private static func attributes(_ all: AttributeSet, of itemClass: ItemClass) -> AttributeSet {
        let schema = AttributeSchema.of(itemClass)
        var own = AttributeSet()
        for entry in all.entries where schema.kind(of: entry.key) != nil { own[entry.key] = entry.value }
        return own
    }

    // MARK: The join

    /// Finds one half by the terms of the query, and the other half through an index, by the hash that both halves
    /// have.
    private static func joined(
        _ query: ItemQuery, limit: Int, _ rows: RowSearch
    ) throws(KeychainError) -> [Halves] {
        guard let keys = keys(of: query) else { return [] }
        let certificates = certificates(of: query)
        // A keychain has few private keys and may have thousands of certificates.
        let beginsWithKeys = !narrows(certificates)
        let (first, second) = beginsWithKeys ? (keys, certificates) : (certificates, keys)
        let (own, other) =
            beginsWithKeys
            ? (AttributeKey.applicationLabel, AttributeKey.publicKeyHash) : (.publicKeyHash, .applicationLabel)
        var partners: [AttributeValue: [FoundItem]] = [:]
        var found: [Halves] = []
        for item in try rows(first) {
            guard found.count < limit else { break }
            guard let hash = item.attributes[own] else { continue }
            if partners[hash] == nil {
                var query = second
                guard query.attributes[other] == nil || query.attributes[other] == hash else { continue }
                query.attributes[other] = hash
                partners[hash] = try rows(query)
            }
            for partner in partners[hash] ?? [] {
                let halves =
                    beginsWithKeys
                    ? Halves(certificate: partner, key: item) : Halves(certificate: item, key: partner)
                if isPrivateKey(halves.key, of: hash) { found.append(halves) }
            }
        }
        return Array(found.prefix(limit))
    }

    /// Whether an item is a usable private key whose real hash is that of the certificate.
    ///
    /// Programs choose the labels of their keys, so another key may carry the same label.
    private static func isPrivateKey(_ item: FoundItem, of hash: AttributeValue) -> Bool {
        guard let key = item.key, key.custody != nil else { return false }
        return hash == .data(Array(Insecure.SHA1.hash(data: key.publicBytes)))
    }

    /// Whether the query restricts the certificates.
    private static func narrows(_ certificates: ItemQuery) -> Bool {
        !certificates.attributes.entries.isEmpty || certificates.items != nil || certificates.identifier != nil
            || certificates.certificates != nil
    }

    /// A query with the parts that both halves share.
    private static func half(of query: ItemQuery, _ itemClass: ItemClass) -> ItemQuery {
        var half = ItemQuery(itemClass: itemClass)
        (half.accessGroup, half.limit, half.returns) = (query.accessGroup, .all, .attributes)
        (half.synchronizable, half.leavesTombstone) = (query.synchronizable, query.leavesTombstone)
        (half.authenticationUI, half.prompt) = (query.authenticationUI, query.prompt)
        return half
    }

    private static func certificates(of query: ItemQuery) -> ItemQuery {
        var half = half(of: query, .certificate)
        for entry in query.attributes.entries where keysOfCertificates.contains(entry.key) {
            half.attributes[entry.key] = entry.value
        }
        (half.items, half.identifier) = (query.items, query.identifier)
        (half.certificates, half.certificateTerms) = (query.certificates, query.certificateTerms)
        return half
    }

    /// The query for the keys; nil where no private key can match.
    private static func keys(of query: ItemQuery) -> ItemQuery? {
        var half = half(of: query, .key)
        for entry in query.attributes.entries where !keysOfCertificates.contains(entry.key) {
            half.attributes[entry.key] = entry.value
        }
        let privateKey = AttributeValue.number(KeyHalf.privateKey.rawValue)
        guard half.attributes[.keyClass] == nil || half.attributes[.keyClass] == privateKey else { return nil }
        half.attributes[.keyClass] = privateKey
        (half.accessibility, half.constraints) = (query.accessibility, query.constraints)
        return half
    }

    /// An identity with the certificate's identifier and the attributes of both.
    ///
    /// Where both have an attribute, the label comes from the certificate and the rest from the key.
    private static func item(_ halves: Halves, _ returns: ReturnTypes) -> FoundItem {
        let (certificate, key) = (halves.certificate, halves.key)
        var attributes: AttributeSet?
        if returns.includeAttributes {
            var merged = key.attributes
            let own = certificate.attributes
            for key in keysOfCertificates { merged[key] = own[key] }
            attributes = merged
        }
        return FoundItem(
            identifier: certificate.identifier, itemClass: .identity, accessibility: key.accessibility,
            isSynchronizable: key.isSynchronizable, attributes: attributes.map { EncodedAttributes($0) }, secret: nil,
            constraints: attributes == nil ? nil : key.constraints, key: key.key, keyItem: key.identifier)
    }
}
