/// The programs that an entry of an access object lets in, or the data that it holds.
package enum ACLSubject: Hashable, Sendable {
    /// Lets everyone in.
    case any
    /// Lets everyone in, and keeps a description.
    case anyDescribed(ACLPrompt)
    /// Lets these programs in, and those that a person allows. With an empty list, a person is asked each time.
    case applications([TrustedApplication], ACLPrompt)
    /// Lets in the processes of a user or a group, whatever they run.
    case processes(ProcessOwner)
    /// Lets no one in, and holds the partition list.
    case partition(PartitionList)
    /// Lets no one in, and holds a digest of the item's attributes.
    case integrity([UInt8])
    /// Lets no one in, and keeps content that this project does not interpret.
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
