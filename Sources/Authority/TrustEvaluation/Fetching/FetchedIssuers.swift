import ChatelaineModel
import SwiftASN1

/// Certificates that servers sent.
///
/// Each may be an intermediate, and none is trusted for its origin.
enum FetchedIssuers {
    /// The most certificates of one evaluation.
    ///
    /// Messages with more come from large bridges between authorities; the first ones are read.
    static let maximumCertificates = 64

    private static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]

    /// The DER of each certificate, in order.
    static func certificates(in files: [[UInt8]]) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for file in files where all.count < maximumCertificates {
            all += ((try? certificates(inMessage: file)) ?? [file]).prefix(maximumCertificates - all.count)
        }
        return all
    }

    /// The certificates of a message that carries nothing else (RFC 5652, 5.1).
    ///
    /// Its signatures, if any, prove nothing about them.
    private static func certificates(inMessage file: [UInt8]) throws -> [[UInt8]] {
        let content = try BER.sequence(try BER.parse(file), identifier: .sequence) { fields in
            guard try ASN1ObjectIdentifier(berEncoded: &fields) == signedData else { throw Missing() }
            return try DER.explicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) { $0 }
        }
        return try BER.sequence(content, identifier: .sequence) { fields in
            var all: [[UInt8]] = []
            while let field = fields.next() {
                guard field.identifier == .context(0), case .constructed(let nodes) = field.content else { continue }
                // Elements other than certificates have a context tag.
                all += nodes.lazy.filter { $0.identifier == .sequence }.prefix(maximumCertificates)
                    .map { Array($0.encodedBytes) }
            }
            return all
        }
    }
}
