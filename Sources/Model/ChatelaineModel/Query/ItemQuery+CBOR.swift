extension ItemQuery: CBORValue {
    private enum Field: UInt64, CBORField {
        case itemClass = 0
        case attributes = 1
        case accessGroup = 2
        case synchronizable = 3
        case accessibility = 4
        case identifier = 6
        case host = 7
        case limit = 8
        case returns = 9
        case authenticationUI = 10
        case leavesTombstone = 11
        case items = 12
        case constraints = 13
        case isUnconstrained = 14
        case prompt = 15
        case ignoresCase = 16
        case certificates = 19
        case issuers = 20
        case validDate = 21
        case email = 22
        case policy = 23
        case isTrustedOnly = 24
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.itemClass, itemClass)
            $0.write(Field.attributes, attributes)
            $0.write(Field.accessGroup, accessGroup)
            $0.write(Field.synchronizable, synchronizable)
            $0.write(Field.accessibility, accessibility)
            $0.write(Field.identifier, identifier)
            $0.write(Field.host, host)
            $0.write(Field.limit, limit)
            $0.write(Field.returns, returns)
            $0.write(Field.authenticationUI, authenticationUI)
            $0.write(Field.leavesTombstone, leavesTombstone)
            if let items { $0.writeArray(Field.items, items) }
            switch constraints {
            case .any: break
            case .unconstrained: $0.write(Field.isUnconstrained, true)
            case .exactly(let wanted): $0.write(Field.constraints, wanted)
            }
            $0.write(Field.prompt, prompt)
            if ignoresCase { $0.write(Field.ignoresCase, true) }
            if let certificates { $0.writeArray(Field.certificates, certificates) }
            if let issuers = certificateTerms.issuers { $0.writeArray(Field.issuers, issuers) }
            $0.write(Field.validDate, certificateTerms.validDate)
            $0.write(Field.email, certificateTerms.email)
            $0.write(Field.policy, certificateTerms.policy)
            if certificateTerms.isTrustedOnly { $0.write(Field.isTrustedOnly, true) }
        }
    }

    /// Absent fields have the values of a new query.
    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(itemClass: try map.read(Field.itemClass))
        if let given: AttributeSet = try map.readIfPresent(Field.attributes) { attributes = given }
        accessGroup = try map.readIfPresent(Field.accessGroup)
        if let given: SynchronizableScope = try map.readIfPresent(Field.synchronizable) { synchronizable = given }
        accessibility = try map.readIfPresent(Field.accessibility)
        identifier = try map.readIfPresent(Field.identifier)
        host = try map.readIfPresent(Field.host)
        if let given: MatchLimit = try map.readIfPresent(Field.limit) { limit = given }
        if let given: ReturnTypes = try map.readIfPresent(Field.returns) { returns = given }
        if let given: AuthenticationUI = try map.readIfPresent(Field.authenticationUI) { authenticationUI = given }
        leavesTombstone = try map.readIfPresent(Field.leavesTombstone)
        items = try map.readArrayIfPresent(Field.items, limit: Limits.listedItems)
        if let given: AccessConstraints = try map.readIfPresent(Field.constraints) { constraints = .exactly(given) }
        if let isUnconstrained: Bool = try map.readIfPresent(Field.isUnconstrained) {
            guard isUnconstrained, constraints == .any else { throw .outOfRange }
            constraints = .unconstrained
        }
        prompt = try map.readIfPresent(Field.prompt)
        if let ignores: Bool = try map.readIfPresent(Field.ignoresCase) {
            guard ignores else { throw .outOfRange }
            ignoresCase = true
        }
        certificates = try map.readArrayIfPresent(Field.certificates, limit: CertificateLimits.maximumBatch)
        certificateTerms.issuers = try map.readArrayIfPresent(Field.issuers, limit: CertificateLimits.maximumIssuers)
        certificateTerms.validDate = try map.readIfPresent(Field.validDate)
        certificateTerms.email = try map.readIfPresent(Field.email)
        certificateTerms.policy = try map.readIfPresent(Field.policy)
        if let isOnly: Bool = try map.readIfPresent(Field.isTrustedOnly) {
            guard isOnly else { throw .outOfRange }
            certificateTerms.isTrustedOnly = true
        }
        reader = try map.end()
    }
}

/// Encoded as a number; 0 stands for all.
extension MatchLimit: CBORValue {
    package init(from reader: inout CBORReader) throws(CBORError) {
        let number = try reader.readInt(in: 0...Int.max)
        self = number == 0 ? .all : number == 1 ? .one : .count(number)
    }

    package func encode(to writer: inout CBORWriter) { writer.write(self == .all ? 0 : Int64(maximum)) }
}

extension ReturnTypes: CBORValue {
    package init(from reader: inout CBORReader) throws(CBORError) {
        self.init(rawValue: try reader.readByte())
        guard isSubset(of: .known) else { throw .outOfRange }
    }
}
