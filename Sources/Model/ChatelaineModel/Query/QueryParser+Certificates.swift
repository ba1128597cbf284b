import ChatelaineMemory
import Glibc

extension QueryParser {
    /// The bytes of a certificate that is added as an object; nil if there is none.
    func secret(of certificate: [UInt8]?, beside secret: SecretBytes?) throws(KeychainError) -> SecretBytes? {
        guard let certificate else { return nil }
        guard secret == nil || secret == SecretBytes(certificate) else {
            throw KeychainError(.param, "kSecValueRef and kSecValueData give two certificates")
        }
        return SecretBytes(certificate)
    }
}

extension QueryKey {
    /// The change to the terms that a key for certificates alone makes.
    static func terms(
        _ key: String, _ value: QueryValue
    ) throws(KeychainError) -> (inout CertificateTerms) -> Void {
        switch (key, value) {
        case (matchIssuers, .array(let values)):
            let names = try issuers(values)
            return { $0.issuers = names }
        case (matchPolicy, .policy(let policy)): return { $0.policy = policy }
        default: throw KeychainError(.param, "the value of \(KeyName.of(key)) has the wrong type")
        }
    }

    /// The names of `kSecMatchIssuers`.
    private static func issuers(_ values: [QueryValue]) throws(KeychainError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        for value in values {
            guard case .data(let name) = value else {
                throw KeychainError(.param, "kSecMatchIssuers must hold distinguished names, as data in DER")
            }
            names.append(name)
        }
        return names
    }

    /// Applies a match key for certificates to the terms; the type of its value was checked before.
    static func take(_ key: String, _ value: QueryValue, into terms: inout CertificateTerms) {
        switch (key, value) {
        case (matchValidOnDate, .date(let seconds)):
            terms.validDate = seconds + Double(ReferenceDate.secondsSince1970)
        case (matchValidOnDate, _): terms.validDate = Double(time(nil))
        case (matchEmail, .text(let address)): terms.email = address
        case (matchTrustedOnly, _): terms.isTrustedOnly = value.boolean ?? false
        default: break
        }
    }
}
