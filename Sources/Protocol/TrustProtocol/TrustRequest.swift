import ChatelaineModel

/// A request to trustd. The numbers of the fields are on the wire.
package enum TrustRequest: Hashable, Sendable {
    case signature(SignatureQuestion)
    case anchor(AnchorQuestion)
    /// Reads certificates (DER), within ``CertificateLimits``.
    case certificates([[UInt8]])
    /// Normalises distinguished names (DER), within ``CertificateLimits``.
    case names([[UInt8]])
    case evaluation(TrustCase)
    /// Takes the distribution's file of certificates apart.
    case bundle([UInt8])
}

extension TrustRequest: CBORValue {
    private enum Field: UInt64, CBORField {
        case version = 0
        case signature = 1
        case digest = 2
        case anchor = 3
        case file = 4
        case team = 5
        case now = 6
        case certificates = 7
        case names = 8
        case evaluation = 9
        case bundle = 10
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.version, TrustWire.version)
            switch self {
            case .signature(let question):
                $0.write(Field.signature, question.signature)
                $0.write(Field.digest, question.digest)
                $0.write(Field.anchor, question.anchor)
                $0.write(Field.now, question.now)
            case .anchor(let question):
                $0.write(Field.file, question.file)
                $0.write(Field.team, question.team)
                $0.write(Field.now, question.now)
            case .certificates(let certificates): $0.writeArray(Field.certificates, certificates)
            case .names(let names): $0.writeArray(Field.names, names)
            case .evaluation(let trustCase): $0.write(Field.evaluation, trustCase)
            case .bundle(let file): $0.write(Field.bundle, file)
            }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        guard try map.read(Field.version) == TrustWire.version else { throw .outOfRange }
        if let signature: [UInt8] = try map.readIfPresent(Field.signature) {
            // One byte beyond the limit says that the file is too long, so its reader need not read on.
            guard signature.count <= SignatureLimits.maximumFileBytes + 1 else { throw .limitExceeded }
            self = .signature(
                SignatureQuestion(
                    signature: signature, digest: try map.read(Field.digest),
                    anchor: try map.readIfPresent(Field.anchor), now: try map.read(Field.now)))
        } else if let file: [UInt8] = try map.readIfPresent(Field.file) {
            guard file.count <= SignatureLimits.maximumAnchorBytes + 1 else { throw .limitExceeded }
            self = .anchor(
                AnchorQuestion(
                    file: file, team: try map.readIfPresent(Field.team), now: try map.read(Field.now)))
        } else if let certificates: [[UInt8]] = try map.readArrayIfPresent(
            Field.certificates, limit: CertificateLimits.maximumBatch)
        {
            self = .certificates(certificates)
        } else if let names: [[UInt8]] = try map.readArrayIfPresent(
            Field.names, limit: CertificateLimits.maximumIssuers)
        {
            self = .names(names)
        } else if let trustCase: TrustCase = try map.readIfPresent(Field.evaluation) {
            self = .evaluation(trustCase)
        } else {
            let file: [UInt8] = try map.read(Field.bundle)
            guard file.count <= TrustLimits.maximumBundleBytes else { throw .limitExceeded }
            self = .bundle(file)
        }
        reader = try map.end()
    }

    /// Reads the request that is the whole of a frame.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        try self.init(from: &reader)
        try reader.finish()
    }
}
