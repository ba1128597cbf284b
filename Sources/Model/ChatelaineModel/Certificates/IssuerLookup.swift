/// Finds certificates for the chain above those of a question by their issuers' names, wherever they are stored.
///
/// It looks names up first, and reads a few certificates at a time while the question has room. So many large
/// certificates under one name neither fill the memory nor prevent an evaluation. What was found is kept for the next
/// question, up to a limit.
package struct IssuerLookup<Identifier: Hashable & Sendable>: Sendable {
    package struct Issuer: Sendable {
        package let der: [UInt8]
        /// The normalised name of its issuer; nil if that is not known.
        package let issuer: [UInt8]?

        package init(der: [UInt8], issuer: [UInt8]?) {
            self.der = der
            self.issuer = issuer
        }
    }

    /// Bytes of certificates that are kept for the next question: all that one question can read.
    private static var maximumKnownBytes: Int {
        TrustLimits.maximumQuestionBytes + CertificateLimits.maximumPassedOverBytes
    }

    private let readsAtOnce: Int
    /// The certificates of each name that was looked up.
    private var identifiers: [[UInt8]: [Identifier]] = [:]
    private var known: [Identifier: Issuer] = [:]
    private var knownBytes = 0

    /// - Parameter readsAtOnce: how many certificates one call reads.
    package init(readsAtOnce: Int) { self.readsAtOnce = max(1, readsAtOnce) }

    /// The issuers of certificates, their issuers, and so on, up to ``CertificateLimits/maximumChain`` levels.
    ///
    /// It ends when the question has no more room. A certificate without room is passed over, since a smaller one after
    /// it may be the one that is needed. At most ``CertificateLimits/maximumPassedOverBytes`` are passed over.
    ///
    /// - Parameters:
    ///   - certificates: those of the question, in DER.
    ///   - names: the normalised names of their issuers.
    ///   - bytes: the size of the rest of the question.
    ///   - named: returns the certificates of a subject, at most the first
    ///     ``CertificateLimits/maximumIssuersOfOneName``.
    ///   - read: returns those of the certificates that can be read; others are gone or locked.
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

    /// The issuers in the given order, without those that cannot be read or exceed the limit of size.
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
