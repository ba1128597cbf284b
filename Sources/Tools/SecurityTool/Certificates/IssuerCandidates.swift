import ChatelaineModel

/// Finds the possible issuers of a certificate that go into a question about trust.
///
/// If keychains have many or large certificates, all of them together would exceed the limits of a question.
final class IssuerCandidates {
    private struct Place: Hashable {
        let place: StoredCertificateLocation
        let identifier: ItemIdentifier

        init(_ item: StoredItem) { (place, identifier) = (item.place, item.item.identifier) }
    }

    private enum Source {
        /// Certificates with their content, and the indices of those with each subject.
        case given([StoredCertificate], bySubject: [[UInt8]: [Int]])
        /// Certificates of keychains, fetched through an index as they are needed.
        case search(CertificateSearch)
    }

    private let source: Source
    /// Items that were found in keychains; the walk identifies each by its index.
    private var found: [StoredItem] = []
    private var walk = IssuerLookup<Int>(readsAtOnce: CertificateLimits.issuersReadAtOnce)

    /// - Parameter certificates: certificates with their content.
    init(_ certificates: [StoredCertificate]) {
        var bySubject: [[UInt8]: [Int]] = [:]
        for (index, certificate) in certificates.enumerated() {
            guard let subject = certificate.report?.subject.normalized else { continue }
            bySubject[subject, default: []].append(index)
        }
        source = .given(certificates, bySubject: bySubject)
    }

    init(in search: CertificateSearch) { source = .search(search) }

    /// The certificate, its issuers, their issuers, and so on, within the limits of chains and questions.
    func chain(of certificate: StoredCertificate) throws(KeychainError) -> [[UInt8]] {
        [certificate.der] + (try above([certificate]))
    }

    /// The issuers of certificates, their issuers, and so on.
    ///
    /// - Parameter bytes: the size of the rest of the question.
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
