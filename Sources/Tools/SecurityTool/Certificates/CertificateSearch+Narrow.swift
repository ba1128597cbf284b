import ChatelaineModel

/// Searches that read few certificates of keychains that may have many.
extension CertificateSearch {
    /// Certificates as they are stored; their content is not read.
    func unread(limit: MatchLimit = .all) throws(KeychainError) -> [StoredCertificate] {
        try items(.certificate, [.attributes, .data], limit: limit).map(StoredCertificate.init)
    }

    /// The certificates that pass, as they are stored.
    ///
    /// If names suffice to decide, the keychain returns the data of the passing ones only.
    func unread(passing sieve: CertificatePrefilter) throws(KeychainError) -> [StoredCertificate] {
        guard sieve.address == nil else { return try unread().filter(sieve.passes) }
        let named = try items(.certificate, [.attributes]).filter { sieve.passes(StoredCertificate($0)) }
        return try withData(named).map(StoredCertificate.init)
    }

    /// The certificates that pass, with their content and whether their private keys are beside them.
    func certificates(passing sieve: CertificatePrefilter) throws(KeychainError) -> [StoredCertificate] {
        try withKeys(try read(try unread(passing: sieve)))
    }

    /// The certificates of a subject, found by an index; their data is not fetched, and their number is limited.
    ///
    /// - Parameter subject: the normalised name.
    func issuers(named subject: [UInt8]) throws(KeychainError) -> [StoredItem] {
        var attributes = AttributeSet()
        attributes[.subject] = .data(subject)
        return try items(.certificate, [], attributes, limit: .count(CertificateLimits.maximumIssuersOfOneName))
    }

    /// Certificates with a private key beside them, each once in a keychain.
    ///
    /// Only those without a label have their content read.
    func identities() throws(KeychainError) -> [StoredCertificate] {
        var identities: [StoredCertificate] = []
        var seen: Set<PlacedCertificate> = []
        for item in try items(.identity, [.attributes, .data]) {
            var identity = StoredCertificate(item)
            guard seen.insert(PlacedCertificate(place: item.place, der: identity.der)).inserted else { continue }
            if identity.label == nil { identity.report = try read([identity]).first?.report }
            identity.hasPrivateKey = true
            identities.append(identity)
        }
        return identities
    }

    private struct PlacedCertificate: Hashable {
        let place: StoredCertificateLocation
        let der: [UInt8]
    }
}

extension StoredCertificate {
    init(_ item: StoredItem) {
        let der = item.item.secret?.withUnsafeBytes { [UInt8]($0) } ?? []
        self.init(der: der, place: item.place, label: item.label, item: item)
    }
}
