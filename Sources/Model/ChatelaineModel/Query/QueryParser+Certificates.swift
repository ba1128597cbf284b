import ChatelaineMemory
import Glibc

extension QueryParser {
    /// The bytes of a certificate that is added as an object; nil where there is none.
    func secret(of certificate: [UInt8]?, beside secret: SecretBytes?) throws(KeychainError) -> SecretBytes? {
        guard let certificate else { return nil }
        guard secret == nil || secret == SecretBytes(certificate) else {
            throw KeychainError(.param, "kSecValueRef and kSecValueData give two certificates")
        }
        return SecretBytes(certificate)
    }
}

extension QueryKey {
    /// The names of `kSecMatchIssuers`.
    static func issuers(_ values: [QueryValue]) throws(KeychainError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        for value in values {
            guard case .data(let name) = value else {
                throw KeychainError(.param, "kSecMatchIssuers must hold distinguished names, as data in DER")
            }
            names.append(name)
        }
        return names
    }

    /// Takes what is about certificates alone, the type of whose value was looked at.
    static func take(_ key: String, _ value: QueryValue, into terms: inout CertificateTerms) {
        switch (key, value) {
        // CoreFoundation counts from 2001.
        case (matchValidOnDate, .date(let seconds)): terms.validDate = seconds + 978_307_200
        case (matchValidOnDate, _): terms.validDate = Double(time(nil))
        case (matchEmail, .text(let address)): terms.email = address
        default: break
        }
    }
}
