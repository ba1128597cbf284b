import ChatelaineModel

extension EvidenceSource: CBORValue {
    private enum Field: UInt64, CBORField {
        case kind = 1
        case url = 2
        case request = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, kind)
            $0.write(Field.url, url)
            $0.write(Field.request, request)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let kind: Kind = try map.read(Field.kind)
        try map.find(Field.url)
        let url = try map.reader.readText(limit: EvidenceLimits.maximumURLBytes)
        self.init(kind, at: url, request: try map.read(Field.request))
        guard request.count <= EvidenceLimits.maximumRequestBytes, request.isEmpty == (kind != .response) else {
            throw .limitExceeded
        }
        reader = try map.end()
    }
}

extension EvidenceNeed: CBORValue {
    private enum Field: UInt64, CBORField {
        case sources = 1
    }

    package func encode(to writer: inout CBORWriter) { writer.writeMap { $0.writeArray(Field.sources, sources) } }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(try map.readArray(Field.sources, limit: EvidenceLimits.maximumSources))
        reader = try map.end()
    }
}

extension FetchedEvidence: CBORValue {
    private enum Field: UInt64, CBORField {
        case responses = 1
        case revocationLists = 2
        case issuers = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.writeArray(Field.responses, responses)
            $0.writeArray(Field.revocationLists, revocationLists)
            $0.writeArray(Field.issuers, issuers)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init()
        responses = try map.readArray(Field.responses, limit: EvidenceLimits.maximumAnswers)
        revocationLists = try map.readArray(Field.revocationLists, limit: EvidenceLimits.maximumAnswers)
        issuers = try map.readArray(Field.issuers, limit: EvidenceLimits.maximumAnswers)
        guard (responses + revocationLists).reduce(0, { $0 + $1.count }) <= EvidenceLimits.maximumFetchedBytes,
            issuers.reduce(0, { $0 + $1.count }) <= EvidenceLimits.maximumIssuerBytes
        else { throw .limitExceeded }
        reader = try map.end()
    }
}

extension TrustJudgement: CBORValue {
    private enum Field: UInt64, CBORField {
        case verdict = 1
        case needs = 2
        case unchangedUntil = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.verdict, verdict)
            $0.writeArray(Field.needs, needs)
            $0.write(Field.unchangedUntil, unchangedUntil)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            try map.read(Field.verdict), needs: try map.readArray(Field.needs, limit: EvidenceLimits.maximumNeeds),
            unchangedUntil: try map.readIfPresent(Field.unchangedUntil))
        reader = try map.end()
    }
}
