/// A grantee: a program or group that an access object lets in without a prompt.
///
/// People see grantees and can revoke them.
///
/// ``AccessObject/grants(of:)`` finds them by ``ACLEvaluation``, so that no listing differs from the decisions.
package enum Grantee: Hashable, Sendable {
    case program(TrustedApplication)
    /// Programs of this partition, through an entry for everyone.
    case partition(PartitionID)
    /// Every program, through an entry for everyone in an object without a partition list.
    case everybody
    /// Processes of a user or group, whatever they run, if they are in the object's partitions.
    case processes(ProcessOwner)
}

/// A grantee and its rights.
package struct AccessGrant: Hashable, Sendable {
    /// The rights on a password in a file keychain, in the order in which they are shown.
    package static let kinds: [ACLAuthorization] = [.decrypt, .encrypt, .changeACL]
    /// The rights on a key in a file keychain, in the order in which they are shown.
    static let kindsOfKeys: [ACLAuthorization] = [
        .sign, .decrypt, .derive, .exportClear, .encrypt, .changeACL,
    ]

    package static func kinds(of itemClass: ItemClass) -> [ACLAuthorization] {
        itemClass == .key ? kindsOfKeys : kinds
    }

    package let grantee: Grantee
    /// The rights of ``kinds(of:)`` without a prompt; empty for a listed program that is in none of the item's
    /// partitions.
    package let rights: [ACLAuthorization]
}

extension AccessObject {
    /// Every listed program, and every other grantee that may read, use or change the item without a prompt.
    package func grants(of itemClass: ItemClass) -> [AccessGrant] {
        let (listed, kinds) = (listed, AccessGrant.kinds(of: itemClass))
        var grants = listed.map { AccessGrant(grantee: .program($0), rights: rights(of: ACLCaller($0), among: kinds)) }
        let others: [(Grantee, ACLCaller)] =
            partitionList.map { list in list.identifiers.filter(\.hasPrograms).map { (.partition($0), ACLCaller($0)) } }
            ?? [(.everybody, ACLCaller(nil))]
        for (grantee, caller) in others {
            if caller.identity == .securityTool, listed.contains(where: { $0.identity == .securityTool }) { continue }
            let rights = rights(of: caller, among: kinds)
            // By default every program of the item's partitions may overwrite it, which says nothing about a single
            // program.
            if rights.contains(where: { $0 != .encrypt }) {
                grants.append(AccessGrant(grantee: grantee, rights: rights))
            }
        }
        return grants + processOwners.compactMap { grant(to: $0, among: kinds) }
    }

    private func grant(to owner: ProcessOwner, among kinds: [ACLAuthorization]) -> AccessGrant? {
        let process = ProcessUser(user: owner.user, group: owner.group)
        let callers =
            partitionList?.identifiers.filter(\.hasPrograms).map { ACLCaller($0, as: process) }
            ?? [ACLCaller(nil, as: process)]
        let given = Set(callers.flatMap { rights(of: $0, among: kinds) })
        guard given.contains(where: { $0 != .encrypt }) else { return nil }
        return AccessGrant(grantee: .processes(owner), rights: kinds.filter(given.contains))
    }

    private var processOwners: [ProcessOwner] {
        var seen: Set<ProcessOwner> = []
        return (entries + [owner]).compactMap { if case .processes(let owner) = $0.subject { owner } else { nil } }
            .filter { seen.insert($0).inserted }
    }

    /// The programs that the entries list, each once, those of the owner's entry last.
    package var listed: [TrustedApplication] {
        var seen: Set<TrustedApplication> = []
        return (entries + [owner]).flatMap { entry -> [TrustedApplication] in
            if case .applications(let listed, _) = entry.subject { listed } else { [] }
        }.filter { seen.insert($0).inserted }
    }

    private func rights(of caller: ACLCaller, among kinds: [ACLAuthorization]) -> [ACLAuthorization] {
        kinds.filter { ACLEvaluation.decide(self, right: $0, caller: caller, ui: false) == .allowed }
    }

    /// Whether an application reads or uses an item of this class without a prompt.
    package func lets(_ application: TrustedApplication, useItemOf itemClass: ItemClass = .genericPassword) -> Bool {
        rights(of: ACLCaller(application), among: AccessGrant.kinds(of: itemClass))
            .contains { $0 != .encrypt && $0 != .changeACL }
    }

    // MARK: Taking back

    /// The object without some programs: they are removed from every entry.
    ///
    /// Their partitions are removed too, unless a remaining listed program is in them. A partition of many programs
    /// stays if none of the removed programs was listed, since it was not given for one of them.
    ///
    /// - Parameter partitions: partitions to remove in any case.
    package func removing(
        _ isMeant: (TrustedApplication) -> Bool, partitions: Set<PartitionID> = []
    ) -> AccessObject {
        var object = self
        object.owner.subject = owner.subject.removing(isMeant)
        for index in entries.indices { object.entries[index].subject = entries[index].subject.removing(isMeant) }
        guard let list = partitionList else { return object }
        let stay = Set(object.listed.compactMap(\.partition))
        let gone = partitions.union(listed.filter(isMeant).compactMap(\.partition).filter { !stay.contains($0) })
        let left = list.removing(gone)
        return left == list ? object : object.partitioned(left)
    }
}

extension PartitionID {
    /// Whether a program can be in this partition; Apple has others, such as `unsigned:`, and digests of another
    /// length.
    package var hasPrograms: Bool {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return self == .apple || self == .appleTool }
        return parts[0] == "teamid" || parts[0] == "cdhash" && parts[1].utf8.count == 2 * ExecutableDigest.byteCount
    }
}

extension PartitionList {
    fileprivate func removing(_ gone: Set<PartitionID>) -> PartitionList {
        PartitionList(identifiers.filter { !gone.contains($0) })
    }
}

extension ACLSubject {
    fileprivate func removing(_ isMeant: (TrustedApplication) -> Bool) -> ACLSubject {
        guard case .applications(let listed, let prompt) = self else { return self }
        return .applications(listed.filter { !isMeant($0) }, prompt)
    }
}

extension TrustedApplication {
    /// The partition of the program while its content is unchanged.
    package var partition: PartitionID? {
        switch identity {
        case .securityTool: .appleTool
        case .digest(let digest): PartitionID(digest)
        case .identifier(let identifier) where identifier.isOfTeam:
            // `team:`, the team, the digest of its anchor's key, and the identifier.
            identifier.text.split(separator: ":", maxSplits: 2).dropFirst().first.flatMap {
                PartitionID("teamid:\($0)")
            }
        case .identifier: .apple
        }
    }
}

extension ACLCaller {
    /// The caller that a listed program is while it is unchanged and nothing makes it uncertain.
    fileprivate init(_ application: TrustedApplication) {
        let standing: CodeStanding = if case .digest = application.identity { .unsigned } else { .valid }
        self.init(
            application.identity, application.assurance, at: application.path, standing, in: application.partition)
    }

    /// A caller that stands for the unlisted programs of a partition.
    fileprivate init(_ partition: PartitionID?, as process: ProcessUser? = nil) {
        self.init(
            partition == .appleTool ? .securityTool : nil, .file, at: "", .valid, in: partition, as: process)
    }
}
