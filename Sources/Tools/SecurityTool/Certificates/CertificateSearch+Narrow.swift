import ChatelaineModel

/// Searches that have few certificates read of keychains that may have many.
extension CertificateSearch {
    /// Certificates as they are stored: what is in them was not read yet.
    func unread(limit: MatchLimit = .all) throws(KeychainError) -> [StoredCertificate] {
        try items(.certificate, [.attributes, .data], limit: limit).map(StoredCertificate.init)
    }

    /// Those that pass, as they are stored. Where their names tell, no other's bytes are had from the keychain.
    func unread(passing sieve: CertificatePrefilter) throws(KeychainError) -> [StoredCertificate] {
        guard sieve.address == nil else { return try unread().filter(sieve.passes) }
        let named = try items(.certificate, [.attributes]).filter { sieve.passes(StoredCertificate($0)) }
        return try withData(named).map(StoredCertificate.init)
    }

    /// Those that pass, with what is in them and whether their keys are beside them.
    func certificates(passing sieve: CertificatePrefilter) throws(KeychainError) -> [StoredCertificate] {
        try withKeys(try read(try unread(passing: sieve)))
    }

    /// Those of a subject, from an index, as many as are looked at: their bytes are not read yet.
    ///
    /// - Parameter subject: normalised.
    func issuers(named subject: [UInt8]) throws(KeychainError) -> [StoredItem] {
        var attributes = AttributeSet()
        attributes[.subject] = .data(subject)
        return try items(.certificate, [], attributes, limit: .count(CertificateLimits.maximumIssuersOfOneName))
    }

    /// Certificates that have a private key beside them, each once in a keychain. What is in one was read where it has no label.
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
        let place: KeychainPlace
        let der: [UInt8]
    }
}

extension StoredCertificate {
    init(_ item: StoredItem) {
        let der = item.item.secret?.withUnsafeBytes { [UInt8]($0) } ?? []
        self.init(der: der, place: item.place, label: item.label, item: item)
    }
}
