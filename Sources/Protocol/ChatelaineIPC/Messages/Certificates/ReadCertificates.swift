import ChatelaineModel

/// Asks what certificates contain. The reply holds a ``CertificateReading`` for each, in their order.
///
/// Error: `errSecParam` beyond ``CertificateLimits``. The reply does not depend on the caller.
package struct ReadCertificates: RequestMessage, Equatable {
    package typealias Reply = [CertificateReading]

    package static let name = "a question what is in certificates"
    package static let needs = RequestNeeds.nothing

    /// The certificates as DER.
    package var certificates: [[UInt8]]

    package init(_ certificates: [[UInt8]]) { self.certificates = certificates }

    package var operation: Operation { .readCertificates }
    package var work: RequestWork { .brief }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.writeArray(RequestField.certificates, certificates)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        certificates = try fields.readArray(RequestField.certificates, limit: CertificateLimits.maximumBatch)
    }
}
