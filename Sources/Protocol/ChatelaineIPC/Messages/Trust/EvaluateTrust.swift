import ChatelaineModel

/// Asks whether a chain of certificates is trusted.
///
/// Whatever is wrong with the certificates, the reply is a verdict. Error: `errSecParam` for a question that is larger
/// than the limit.
package struct EvaluateTrust: RequestMessage, Equatable {
    package typealias Reply = TrustVerdict

    package static let name = "evaluating trust"
    /// The person's settings count only where the keychain that keeps them opens; an evaluation by the system's roots
    /// needs no keychain.
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

/// Asks for the certificates that the distribution trusts (DER), in the order of its file.
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

/// A list of certificates; each is a value of its own in the reply.
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
