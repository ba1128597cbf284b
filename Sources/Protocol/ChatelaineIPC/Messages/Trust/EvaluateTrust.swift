import ChatelaineModel

/// Whether a chain of certificates is to be trusted: one question, one verdict, whatever is wrong with the certificates. `errSecParam` (it is
/// larger than is looked at).
package struct EvaluateTrust: RequestMessage, Equatable {
    package typealias Reply = TrustVerdict

    package static let name = "evaluating trust"
    /// Settings of the person count where the keychain opens under which they are kept. Roots of the system do without.
    package static let needs = RequestNeeds.knownCallerIfOpen

    package var question: TrustQuestion

    package init(_ question: TrustQuestion) { self.question = question }

    package var operation: Operation { .evaluateTrust }
    package var work: RequestWork { .long }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.query, question) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        self.init(try fields.read(RequestField.query))
    }
}

extension TrustVerdict: ReplyBody {}

/// The certificates that the distribution trusts, those of its file (DER), in the file's order.
package struct ReadSystemRoots: RequestMessage, Equatable {
    package typealias Reply = CertificateList

    package static let name = "reading the system's roots"
    package static let needs = RequestNeeds.nothing

    package init() {}

    package var operation: Operation { .readSystemRoots }
    package var work: RequestWork { .brief }

    package func encodeFields(to writer: inout CBORWriter) {}

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {}
}

/// Certificates as they are, each a value of its own.
package struct CertificateList: ReplyBody, Equatable {
    package var certificates: [[UInt8]]

    package init(_ certificates: [[UInt8]]) { self.certificates = certificates }

    package func encode(_ write: ((inout CBORWriter) -> Void) throws -> Void) rethrows {
        for certificate in certificates { try write { $0.write(certificate) } }
    }

    package init(body reader: inout CBORReader) throws(CBORError) {
        certificates = []
        while !reader.isAtEnd {
            guard certificates.count < TrustLimits.maximumRoots else { throw .limitExceeded }
            certificates.append(try reader.readArray())
        }
    }
}
