import ChatelaineMemory
import ChatelaineModel
import ItemStore

/// Searches for items that have rows and that the caller may see.
typealias RowSearch = (_ query: ItemQuery) throws(KeychainError) -> [FoundItem]

/// Certificates as items of any keychain (behaviour/certificates.md).
///
/// Their attributes come from their bytes, which trustd reads.
struct CertificateItems: Sendable {
    /// Apple's number of DER (`kSecAttrCertificateEncoding`).
    private static let encodingDER: Int64 = 3

    /// Reads certificates; nil where no service does.
    var service: CertificateService?
    /// Judges certificates; nil where no service does.
    var judge: (any CertificateEvaluating)?

    private var reader: CertificateService {
        get throws(KeychainError) {
            guard let service else {
                throw KeychainError(.notAvailable, "certificates cannot be read: this daemon runs without trustd")
            }
            return service
        }
    }

    // MARK: Adding and changing

    /// A new certificate with all attributes that its bytes give.
    ///
    /// - Throws: `errSecParam` for bytes that are no certificate, and for attributes that contradict it.
    func completed(_ item: NewItem) throws(KeychainError) -> NewItem {
        guard let der = item.secret.map({ $0.withUnsafeBytes { [UInt8]($0) } }) else {
            throw KeychainError(.param, "a certificate is added by kSecValueRef, or by its DER as kSecValueData")
        }
        let report = try reader.report(of: der)
        let derived = Self.attributes(of: report)
        var item = item
        for key in AttributeKey.derivedOfCertificates {
            if let given = item.attributes[key] {
                guard let own = derived[key], own.matches(given) else {
                    throw KeychainError(
                        .param,
                        "the attribute “\(key.name)” contradicts the certificate: leave out what it says itself")
                }
            }
            item.attributes[key] = derived[key]
        }
        if item.attributes[.label] == nil { item.attributes[.label] = report.summary.map { .text($0) } }
        try item.validate()
        return item
    }

    /// Certificates that are no items, with the attributes that they would have.
    ///
    /// Unreadable ones are left out.
    func described(_ certificates: [[UInt8]]) throws(KeychainError) -> [(der: [UInt8], attributes: AttributeSet)] {
        zip(certificates, try reader.read(certificates)).compactMap { der, reading in
            guard case .report(let report) = reading else { return nil }
            var attributes = Self.attributes(of: report)
            attributes[.label] = report.summary.map { .text($0) }
            return (der, attributes)
        }
    }

    private static func attributes(of report: CertificateReport) -> AttributeSet {
        var attributes = AttributeSet()
        attributes[.certificateType] = .number(Int64(report.version))
        attributes[.certificateEncoding] = .number(encodingDER)
        attributes[.issuer] = .data(report.issuer.normalized)
        attributes[.subject] = .data(report.subject.normalized)
        attributes[.serialNumber] = .data(report.serialNumber)
        attributes[.subjectKeyIdentifier] = report.subjectKeyIdentifier.map { .data($0) }
        attributes[.publicKeyHash] = .data(report.key.hash)
        return attributes
    }

    /// Refuses other bytes for a certificate.
    ///
    /// What it states itself is compared with each item when that is changed.
    static func validate(_ change: ItemChange) throws(KeychainError) {
        guard change.secret == nil else {
            throw KeychainError(.param, "a certificate never changes: delete it, and add the other one")
        }
    }

    // MARK: Finding

    /// The items of any class except identities that a query describes.
    ///
    /// Certificates also meet the terms of the query.
    ///
    /// - Parameters:
    ///   - find: searches for the items.
    ///   - look: searches for certificates that are only looked at, and shown to nobody.
    func rows(_ query: ItemQuery, find: RowSearch, look: RowSearch) throws(KeychainError) -> [FoundItem] {
        let named = try withoutCertificates(query, look)
        guard named.certificateTerms.needVerdict else { return try plainRows(named, find, look) }
        // Only names are collected first. Each certificate is read when it is judged, and the good ones are read once
        // more. So many large certificates are never in memory together.
        var (candidates, good) = (named, named)
        candidates.certificateTerms = named.certificateTerms.withoutVerdict
        (candidates.limit, candidates.returns) = (.all, [])
        var verdicts = CertificateVerdicts(named.certificateTerms, judge)
        var admitted: [ItemIdentifier] = []
        for item in try plainRows(candidates, find, look) {
            guard admitted.count < query.limit.maximum else { break }
            if try verdicts.admits(item.identifier, look) { admitted.append(item.identifier) }
        }
        guard !admitted.isEmpty else { return [] }
        (good.items, good.certificateTerms) = (admitted, CertificateTerms())
        return try find(good)
    }

    /// The items of a query that needs no verdict.
    private func plainRows(_ query: ItemQuery, _ find: RowSearch, _ look: RowSearch) throws(KeychainError)
        -> [FoundItem]
    {
        let items = try find(query.withCertificateData)
        return query.certificateTerms.isEmpty ? items : try admitted(items, by: query, look)
    }

    /// The query with the certificates that it lists replaced by the names of their items.
    ///
    /// A query that names items as well means those that both lists have.
    func withoutCertificates(_ query: ItemQuery, _ look: RowSearch) throws(KeychainError) -> ItemQuery {
        guard let certificates = query.certificates else { return query }
        var named = query
        named.certificates = nil
        var items: [ItemIdentifier] = []
        for reading in try reader.read(certificates) {
            guard case .report(let report) = reading else {
                throw KeychainError(.param, "the query lists something that is no certificate")
            }
            var one = ItemQuery(itemClass: .certificate)
            (one.synchronizable, one.limit) = (.any, .all)
            let own = Self.attributes(of: report)
            for key in [AttributeKey.certificateType, .issuer, .serialNumber] { one.attributes[key] = own[key] }
            items += try look(one).map(\.identifier)
        }
        if let others = query.items {
            let asked = Set(others)
            items.removeAll { !asked.contains($0) }
        }
        named.items = items
        return named
    }

    /// The found certificates that meet the terms of the query, as many as it asks for.
    private func admitted(
        _ items: [FoundItem], by query: ItemQuery, _ look: RowSearch
    ) throws(KeychainError) -> [FoundItem] {
        let terms = query.certificateTerms
        var left = items
        if let names = terms.issuers {
            var chain = IssuerChain(Set(try reader.normalize(names)))
            var issued: [FoundItem] = []
            for item in left where try chain.leads(from: item.attributes, look) { issued.append(item) }
            left = issued
        }
        if terms.validDate != nil || terms.email != nil {
            let readings = try reader.read(
                left.map { $0.secret?.withUnsafeBytes { [UInt8]($0) } ?? [] })
            left = zip(left, readings).compactMap { item, reading in
                guard case .report(let report) = reading, terms.admits(report) else { return nil }
                return item
            }
        }
        return left.prefix(query.limit.maximum).map { item in
            var item = item
            if !query.returns.contains(.data) { item.secret = nil }
            if !query.returns.includeAttributes { (item.encodedAttributes, item.constraints) = (nil, nil) }
            return item
        }
    }
}

extension ItemQuery {
    /// The query without a limit, and with the data that its certificate terms need.
    fileprivate func unlimited(_ more: ReturnTypes) -> ItemQuery {
        var query = self
        query.limit = .all
        query.returns.formUnion(more)
        return query
    }

    fileprivate var withCertificateData: ItemQuery {
        guard !certificateTerms.isEmpty else { return self }
        let needsData = certificateTerms.validDate != nil || certificateTerms.email != nil
        return unlimited(needsData ? [.attributes, .data] : .attributes)
    }
}
