/// Whom an entry of an access object lets in.
package enum ACLSubject: Hashable, Sendable {
    /// Everybody.
    case any
    /// Everybody, with a description that is kept.
    case anyDescribed(ACLPrompt)
    /// These, and whoever a person lets in. With no program, a person is asked each time.
    case applications([TrustedApplication], ACLPrompt)
    /// The processes of a user or a group, whatever they run.
    case processes(ProcessOwner)
    /// Nobody: it holds the partition list.
    case partition(PartitionList)
    /// Nobody: it holds a digest of the item's attributes.
    case integrity([UInt8])
    /// Nobody: what only somebody else understands, kept as it is.
    case custom([UInt8])

    package var partitionList: PartitionList? {
        if case .partition(let list) = self { list } else { nil }
    }
}

extension ACLSubject: CBORValue {
    private enum Kind: UInt8, CBORValue {
        case any = 1
        case anyDescribed = 2
        case applications = 3
        case partition = 4
        case integrity = 5
        case custom = 6
        case processes = 7
    }

    package func encode(to writer: inout CBORWriter) {
        switch self {
        case .any: encode(.any, to: &writer)
        case .anyDescribed(let prompt):
            encode(.anyDescribed, with: 1, to: &writer)
            prompt.encode(to: &writer)
        case .applications(let applications, let prompt):
            encode(.applications, with: 2, to: &writer)
            prompt.encode(to: &writer)
            writer.writeArray(count: applications.count)
            for application in applications { application.encode(to: &writer) }
        case .partition(let list):
            encode(.partition, with: 1, to: &writer)
            list.encode(to: &writer)
        case .integrity(let bytes):
            encode(.integrity, with: 1, to: &writer)
            writer.write(bytes)
        case .custom(let bytes):
            encode(.custom, with: 1, to: &writer)
            writer.write(bytes)
        case .processes(let owner):
            encode(.processes, with: 1, to: &writer)
            owner.encode(to: &writer)
        }
    }

    private func encode(_ kind: Kind, with others: Int = 0, to writer: inout CBORWriter) {
        writer.writeArray(count: 1 + others)
        kind.encode(to: &writer)
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        let count = try reader.readArrayCount(limit: 3)
        guard count > 0 else { throw .missingField }
        switch (try Kind(from: &reader), count) {
        case (.any, 1): self = .any
        case (.anyDescribed, 2): self = .anyDescribed(try ACLPrompt(from: &reader))
        case (.applications, 3):
            let prompt = try ACLPrompt(from: &reader)
            var applications: [TrustedApplication] = []
            for _ in 0..<(try reader.readArrayCount(limit: ACLLimits.applications)) {
                applications.append(try TrustedApplication(from: &reader))
            }
            self = .applications(applications, prompt)
        case (.partition, 2): self = .partition(try PartitionList(from: &reader))
        case (.integrity, 2): self = .integrity(try reader.readArray())
        case (.custom, 2): self = .custom(try reader.readArray())
        case (.processes, 2): self = .processes(try ProcessOwner(from: &reader))
        default: throw .unexpectedType
        }
    }
}
