/// Certificates that may stand above those of a question, found by the names of who issued these, wherever they are stored.
///
/// They are found by name first, and read a few at a time while the question has room: whoever stores many large ones under one name fills no memory with
/// them, and keeps nobody from an evaluation. What was found is kept for the next question, as far as there is room for that.
package struct IssuerLookup<Identifier: Hashable & Sendable>: Sendable {
    package struct Issuer: Sendable {
        package let der: [UInt8]
        /// The normalised name of who issued it; nil where nobody knows.
        package let issuer: [UInt8]?

        package init(der: [UInt8], issuer: [UInt8]?) {
            self.der = der
            self.issuer = issuer
        }
    }

    /// Bytes of certificates that are kept for the next question: all that one question has had read.
    private static var maximumKnownBytes: Int {
        TrustLimits.maximumQuestionBytes + CertificateLimits.maximumPassedOverBytes
    }

    private let readsAtOnce: Int
    /// As far as they were looked for.
    private var identifiers: [[UInt8]: [Identifier]] = [:]
    private var known: [Identifier: Issuer] = [:]
    private var knownBytes = 0

    /// - Parameter readsAtOnce: how many are read in one go.
    package init(readsAtOnce: Int) { self.readsAtOnce = max(1, readsAtOnce) }

    /// Those that have issued certificates, those that have issued them, and so on: as many levels as ``CertificateLimits/maximumChain`` says, and as far as
    /// there is room in a question. Those that have none are passed over, since a smaller one behind them may be the one that is needed; as many of them as
    /// ``CertificateLimits/maximumPassedOverBytes`` says.
    ///
    /// - Parameters:
    ///   - certificates: what the question has already, in DER.
    ///   - names: normalised, of who has issued them.
    ///   - bytes: what the question has besides them.
    ///   - named: certificates of a subject; of more than ``CertificateLimits/maximumIssuersOfOneName`` the first ones.
    ///   - read: what can be read of these. What is gone, or locked, is left out.
    package mutating func above(
        _ certificates: [[UInt8]], issuedBy names: [[UInt8]], besides bytes: Int = 0,
        named: (_ subject: [UInt8]) throws(KeychainError) -> [Identifier],
        read: (_ identifiers: [Identifier]) throws(KeychainError) -> [Identifier: Issuer]
    ) throws(KeychainError) -> [[UInt8]] {
        var above: [[UInt8]] = []
        var seen = Set(certificates)
        var seenNames: Set<[UInt8]> = []
        var room = TrustLimits.maximumQuestionBytes - certificates.reduce(bytes) { $0 + $1.count }
        var passedOver = 0
        var names = names
        for _ in 0..<CertificateLimits.maximumChain {
            var next: [[UInt8]] = []
            for name in names where seenNames.insert(name).inserted {
                var rest = try identifiers(of: name, named)[...]
                while !rest.isEmpty {
                    let some = rest.prefix(readsAtOnce)
                    rest = rest.dropFirst(some.count)
                    for issuer in try issuers(Array(some), read) where !seen.contains(issuer.der) {
                        guard certificates.count + above.count < TrustLimits.maximumCertificates else { return above }
                        guard issuer.der.count <= room else {
                            passedOver += issuer.der.count
                            guard passedOver <= CertificateLimits.maximumPassedOverBytes else { return above }
                            continue
                        }
                        seen.insert(issuer.der)
                        above.append(issuer.der)
                        room -= issuer.der.count
                        if let name = issuer.issuer { next.append(name) }
                    }
                }
            }
            guard !next.isEmpty else { break }
            names = next
        }
        return above
    }

    private mutating func identifiers(
        of subject: [UInt8], _ named: ([UInt8]) throws(KeychainError) -> [Identifier]
    ) throws(KeychainError) -> [Identifier] {
        if let known = identifiers[subject] { return known }
        let found = Array(try named(subject).prefix(CertificateLimits.maximumIssuersOfOneName))
        identifiers[subject] = found
        return found
    }

    /// In their order, without those that nobody reads, and that are larger than is looked at.
    private mutating func issuers(
        _ some: [Identifier], _ read: ([Identifier]) throws(KeychainError) -> [Identifier: Issuer]
    ) throws(KeychainError) -> [Issuer] {
        let unknown = some.filter { known[$0] == nil }
        let found = unknown.isEmpty ? [:] : try read(unknown)
        return some.compactMap { identifier in
            if let known = known[identifier] { return known }
            guard let issuer = found[identifier], !issuer.der.isEmpty,
                issuer.der.count <= TrustLimits.maximumCertificateBytes
            else { return nil }
            if knownBytes + issuer.der.count <= Self.maximumKnownBytes {
                known[identifier] = issuer
                knownBytes += issuer.der.count
            }
            return issuer
        }
    }
}
