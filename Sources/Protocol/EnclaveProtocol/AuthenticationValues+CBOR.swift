import ChatelaineModel

extension AccessFactor: CBORValue {}
extension AccessObstacle: CBORValue {}

/// The fields of a context, of a use of a context, and of a question about one.
private enum UseField: UInt64, CBORField {
    case number = 0
    case principal = 1
    case operation = 2
    case groupDigest = 3
    case constraints = 4
}

extension ContextReference: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.writeMap { encodeFields(to: &$0) } }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        try self.init(fields: &map)
        reader = try map.end()
    }

    fileprivate func encodeFields(to writer: inout CBORWriter) {
        writer.write(UseField.number, number)
        writer.write(UseField.principal, principal)
    }

    fileprivate init(fields map: inout CBORMap) throws(CBORError) {
        self.init(number: try map.read(UseField.number), principal: try map.read(UseField.principal))
    }
}

extension KeyUse: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.writeMap { encodeFields(to: &$0) } }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        try self.init(fields: &map)
        reader = try map.end()
    }

    fileprivate func encodeFields(to writer: inout CBORWriter) {
        context.encodeFields(to: &writer)
        writer.write(UseField.operation, operation)
    }

    fileprivate init(fields map: inout CBORMap) throws(CBORError) {
        self.init(try ContextReference(fields: &map), for: try map.read(UseField.operation))
    }
}

extension AccessQuestion: CBORValue {
    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            use.encodeFields(to: &$0)
            $0.write(UseField.groupDigest, groupDigest)
            $0.write(UseField.constraints, constraints)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let use = try KeyUse(fields: &map)
        let groupDigest: Bytes16? = try map.readIfPresent(UseField.groupDigest)
        self.init(use, try map.read(UseField.constraints), groupDigest: groupDigest)
        reader = try map.end()
    }
}

extension AccessEvaluation: EnclaveReply {
    package static let kind = EnclaveReplyKind.evaluation

    private enum Field: UInt64, CBORField {
        case factors = 2
        case obstacle = 3
    }

    package func encodeFields(to writer: inout CBORWriter) {
        var (factors, obstacle): ([AccessFactor], AccessObstacle?) = ([], nil)
        switch self {
        case .satisfied: break
        case .needs(let needed): factors = needed.sorted { $0.rawValue < $1.rawValue }
        case .impossible(let reason): obstacle = reason
        }
        writer.writeArray(Field.factors, factors)
        writer.write(Field.obstacle, obstacle)
    }

    package init(fields map: inout CBORMap) throws(CBORError) {
        let factors: [AccessFactor] = try map.readArray(Field.factors, limit: AccessFactor.allCases.count)
        let obstacle: AccessObstacle? = try map.readIfPresent(Field.obstacle)
        guard zip(factors, factors.dropFirst()).allSatisfy({ $0.rawValue < $1.rawValue }) else { throw .unorderedKeys }
        switch (factors.isEmpty, obstacle) {
        case (true, nil): self = .satisfied
        case (false, nil): self = .needs(Set(factors))
        case (true, let obstacle?): self = .impossible(obstacle)
        case (false, _?): throw .unsupported
        }
    }
}

extension RewrappedRowKey: CBORValue, EnclaveReplyElement {
    package static let replyKind = EnclaveReplyKind.rewrappedRowKeys

    private enum Field: UInt64, CBORField {
        case classKeyID = 0
        case wrapped = 1
    }

    private enum RewrapFailureField: UInt64, FailureFields {
        case status = 2
        case reason = 3
        case cause = 4
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            switch self {
            case .key(let classKeyID, let wrapped):
                $0.write(Field.classKeyID, classKeyID)
                $0.write(Field.wrapped, wrapped)
            case .failure(let error): error.encodeFields(RewrapFailureField.self, to: &$0)
            }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        if let classKeyID: UInt32 = try map.readIfPresent(Field.classKeyID) {
            self = .key(classKeyID: classKeyID, wrapped: try map.read(Field.wrapped))
        } else {
            self = .failure(try KeychainError(RewrapFailureField.self, fields: &map))
        }
        reader = try map.end()
    }
}
