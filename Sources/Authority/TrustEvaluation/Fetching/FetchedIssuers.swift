import ChatelaineModel
import SwiftASN1

/// Certificates that servers have sent: each may stand between others, and none is trusted for having come.
enum FetchedIssuers {
    /// Of one evaluation. Messages with more are those of large bridges between authorities, of which the first ones are read.
    static let maximumCertificates = 64

    private static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]

    /// DER of each, in their order.
    static func certificates(in files: [[UInt8]]) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for file in files where all.count < maximumCertificates {
            all += ((try? certificates(inMessage: file)) ?? [file]).prefix(maximumCertificates - all.count)
        }
        return all
    }

    /// Those of a message that is there for its certificates alone (RFC 5652, 5.1). Whatever signed it says nothing of them.
    private static func certificates(inMessage file: [UInt8]) throws -> [[UInt8]] {
        let content = try BER.sequence(try BER.parse(file), identifier: .sequence) { fields in
            guard try ASN1ObjectIdentifier(berEncoded: &fields) == signedData else { throw Missing() }
            return try DER.explicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) { $0 }
        }
        return try BER.sequence(content, identifier: .sequence) { fields in
            var all: [[UInt8]] = []
            while let field = fields.next() {
                guard field.identifier == .context(0), case .constructed(let nodes) = field.content else { continue }
                // Others than certificates are tagged.
                all += nodes.lazy.filter { $0.identifier == .sequence }.prefix(maximumCertificates)
                    .map { Array($0.encodedBytes) }
            }
            return all
        }
    }
}
