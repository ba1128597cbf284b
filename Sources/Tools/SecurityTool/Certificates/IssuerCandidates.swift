import ChatelaineModel

/// Certificates by their subjects, of which those go with a question about one that may have issued it.
///
/// All others would make the question larger than anybody looks at, where keychains have many or large ones.
final class IssuerCandidates {
    private struct Place: Hashable {
        let place: KeychainPlace
        let identifier: ItemIdentifier

        init(_ item: StoredItem) { (place, identifier) = (item.place, item.item.identifier) }
    }

    private enum Source {
        /// With what is in them, and which of them have a subject.
        case given([StoredCertificate], bySubject: [[UInt8]: [Int]])
        /// Those of keychains, from an index, as they are needed.
        case search(CertificateSearch)
    }

    private let source: Source
    /// Those of keychains that were found. A walk knows each by where it is here.
    private var found: [StoredItem] = []
    private var walk = IssuerLookup<Int>(readsAtOnce: CertificateLimits.issuersReadAtOnce)

    /// - Parameter certificates: with what is in them.
    init(_ certificates: [StoredCertificate]) {
        var bySubject: [[UInt8]: [Int]] = [:]
        for (index, certificate) in certificates.enumerated() {
            guard let subject = certificate.report?.subject.normalized else { continue }
            bySubject[subject, default: []].append(index)
        }
        source = .given(certificates, bySubject: bySubject)
    }

    init(in search: CertificateSearch) { source = .search(search) }

    /// The certificate itself and then its issuers, theirs, and so on, as far as chains go and as there is room in a question.
    func chain(of certificate: StoredCertificate) throws(KeychainError) -> [[UInt8]] {
        [certificate.der] + (try above([certificate]))
    }

    /// The issuers of certificates, theirs, and so on.
    ///
    /// - Parameter bytes: what a question has besides those.
    func above(_ certificates: [StoredCertificate], besides bytes: Int = 0) throws(KeychainError) -> [[UInt8]] {
        try walk.above(
            certificates.map(\.der), issuedBy: certificates.compactMap(\.issuerName), besides: bytes,
            named: named, read: read)
    }

    private func named(_ subject: [UInt8]) throws(KeychainError) -> [Int] {
        switch source {
        case .given(_, let bySubject): return bySubject[subject] ?? []
        case .search(let search):
            let first = found.count
            found += try search.issuers(named: subject)
            return Array(first..<found.count)
        }
    }

    private func read(_ indices: [Int]) throws(KeychainError) -> [Int: IssuerLookup<Int>.Issuer] {
        var issuers: [Int: IssuerLookup<Int>.Issuer] = [:]
        func note(_ certificate: StoredCertificate, at index: Int) {
            issuers[index] = .init(der: certificate.der, issuer: certificate.issuerName)
        }
        switch source {
        case .given(let certificates, _):
            for index in indices { note(certificates[index], at: index) }
        case .search(let search):
            let wanted = Dictionary(indices.map { (Place(found[$0]), $0) }) { first, _ in first }
            for item in try search.withData(indices.map { found[$0] }) {
                guard let index = wanted[Place(item)] else { continue }
                note(StoredCertificate(item), at: index)
            }
        }
        return issuers
    }
}
