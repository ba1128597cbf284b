import ChatelaineModel

/// A reply of trustd. The numbers of the fields are on the wire.
package enum TrustReply: Hashable, Sendable {
    case verdict(SignatureVerdict)
    case report(AnchorReport)
    /// Why a file cannot be an anchor, or a name is none.
    case unsuitable(String)
    /// One reading for each certificate, in their order.
    case readings([CertificateReading])
    /// One normalised form for each name, in their order.
    case names([[UInt8]])
    case evaluation(TrustJudgement)
    case roots([TrustRoot])
}

extension TrustReply: CBORValue {
    private enum Field: UInt64, CBORField {
        case version = 0
        case claims = 1
        case needsAnchor = 2
        case defect = 3
        case detail = 4
        case anchor = 5
        case subject = 6
        case validFrom = 7
        case validUntil = 8
        case unsuitable = 9
        case readings = 10
        case names = 11
        case evaluation = 12
        case roots = 13
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.version, TrustWire.version)
            switch self {
            case .verdict(.claims(let claims)): $0.write(Field.claims, claims)
            case .verdict(.needsAnchor(let team)): $0.write(Field.needsAnchor, team)
            case .verdict(.defect(let defect, let detail)):
                $0.write(Field.defect, defect)
                $0.write(Field.detail, detail)
            case .report(let report):
                $0.write(Field.anchor, report.anchor)
                $0.write(Field.subject, report.subject)
                $0.write(Field.validFrom, report.validFrom)
                $0.write(Field.validUntil, report.validUntil)
            case .unsuitable(let reason): $0.write(Field.unsuitable, reason)
            case .readings(let readings): $0.writeArray(Field.readings, readings)
            case .names(let names): $0.writeArray(Field.names, names)
            case .evaluation(let judgement): $0.write(Field.evaluation, judgement)
            case .roots(let roots): $0.writeArray(Field.roots, roots)
            }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        guard try map.read(Field.version) == TrustWire.version else { throw .outOfRange }
        if let claims: SignedClaims = try map.readIfPresent(Field.claims) {
            self = .verdict(.claims(claims))
        } else if let team: TeamIdentifier = try map.readIfPresent(Field.needsAnchor) {
            self = .verdict(.needsAnchor(team))
        } else if let defect: SignatureDefect = try map.readIfPresent(Field.defect) {
            self = .verdict(.defect(defect, detail: try Self.readDetail(Field.detail, of: &map)))
        } else if let anchor: TeamAnchor = try map.readIfPresent(Field.anchor) {
            try map.find(Field.subject)
            let subject = try map.reader.readText(limit: SignatureLimits.maximumSubjectBytes)
            self = .report(
                AnchorReport(
                    anchor: anchor, subject: subject, validFrom: try map.read(Field.validFrom),
                    validUntil: try map.read(Field.validUntil)))
        } else if try map.has(Field.unsuitable) {
            self = .unsuitable(try map.reader.readText(limit: SignatureLimits.maximumDetailBytes))
        } else if let readings: [CertificateReading] = try map.readArrayIfPresent(
            Field.readings, limit: CertificateLimits.maximumBatch)
        {
            self = .readings(readings)
        } else if let names: [[UInt8]] = try map.readArrayIfPresent(
            Field.names, limit: CertificateLimits.maximumIssuers)
        {
            self = .names(names)
        } else if let judgement: TrustJudgement = try map.readIfPresent(Field.evaluation) {
            self = .evaluation(judgement)
        } else {
            self = .roots(try map.readArray(Field.roots, limit: TrustLimits.maximumRoots))
        }
        reader = try map.end()
    }

    private static func readDetail(_ field: Field, of map: inout CBORMap) throws(CBORError) -> String {
        try map.find(field)
        return try map.reader.readText(limit: SignatureLimits.maximumDetailBytes)
    }

    /// Reads the reply that is the whole of a frame.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        try self.init(from: &reader)
        try reader.finish()
    }
}
