/// Whom an access object gives something without asking: what people are shown of it, and what they take back.
///
/// It is found by ``ACLEvaluation`` itself, so that no list of ours can say anything else than what is decided.
package enum Grantee: Hashable, Sendable {
    case program(TrustedApplication)
    /// Programs of that partition, by an entry for everybody.
    case partition(PartitionID)
    /// By an entry for everybody of an object without a partition list.
    case everybody
    /// Processes of a user or group, whatever they run, as far as they are of the object's partitions.
    case processes(ProcessOwner)
}

/// What one of them may do.
package struct AccessGrant: Hashable, Sendable {
    /// What can be done with a password in a file keychain, in the order in which it is told.
    package static let kinds: [ACLAuthorization] = [.decrypt, .encrypt, .changeACL]
    /// What can be done with a key there.
    package static let kindsOfKeys: [ACLAuthorization] = [
        .sign, .decrypt, .derive, .exportClear, .encrypt, .changeACL,
    ]

    package static func kinds(of itemClass: ItemClass) -> [ACLAuthorization] {
        itemClass == .key ? kindsOfKeys : kinds
    }

    package let grantee: Grantee
    /// Those of ``kinds(of:)`` for which nobody is asked. None of a program that is listed and of no partition of the item's.
    package let rights: [ACLAuthorization]
}

extension AccessObject {
    /// What it gives where it is the object of a password.
    package var grants: [AccessGrant] { grants(of: .genericPassword) }

    /// Every listed program, and whoever else is let in to read or use an item of that class or to change this object.
    package func grants(of itemClass: ItemClass) -> [AccessGrant] {
        let (listed, kinds) = (listed, AccessGrant.kinds(of: itemClass))
        var grants = listed.map { AccessGrant(grantee: .program($0), rights: rights(of: ACLCaller($0), among: kinds)) }
        let others: [(Grantee, ACLCaller)] =
            partitionList.map { list in list.identifiers.filter(\.hasPrograms).map { (.partition($0), ACLCaller($0)) } }
            ?? [(.everybody, ACLCaller(nil))]
        for (grantee, caller) in others {
            if caller.identity == .securityTool, listed.contains(where: { $0.identity == .securityTool }) { continue }
            let rights = rights(of: caller, among: kinds)
            // By default all programs of an item's partitions may overwrite it, which says nothing of one of them.
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

    /// All programs that entries list, each once, the owner's last.
    package var listed: [TrustedApplication] {
        var seen: Set<TrustedApplication> = []
        return (entries + [owner]).flatMap { entry -> [TrustedApplication] in
            if case .applications(let listed, _) = entry.subject { listed } else { [] }
        }.filter { seen.insert($0).inserted }
    }

    private func rights(of caller: ACLCaller, among kinds: [ACLAuthorization]) -> [ACLAuthorization] {
        kinds.filter { ACLEvaluation.decide(self, right: $0, caller: caller, ui: false) == .allowed }
    }

    /// Whether an item of that class is read or used without asking by a program that is this.
    package func lets(_ application: TrustedApplication, useItemOf itemClass: ItemClass = .genericPassword) -> Bool {
        rights(of: ACLCaller(application), among: AccessGrant.kinds(of: itemClass))
            .contains { $0 != .encrypt && $0 != .changeACL }
    }

    // MARK: Taking back

    /// The same object without programs: in no entry, and without their partitions where no listed program that stays is of those.
    ///
    /// A partition of many programs stays where none of these was listed, since it was not given for one of them.
    ///
    /// - Parameter partitions: which go in any case.
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
    /// Whether programs can be in it: Apple has others, as `unsigned:`, and digests of another length.
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
    /// The partition in which it is while it is what it was.
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
    /// A listed program as it asks while it is what it was and nothing makes anybody doubt.
    fileprivate init(_ application: TrustedApplication) {
        let standing: CodeStanding = if case .digest = application.identity { .unsigned } else { .valid }
        self.init(
            application.identity, application.assurance, at: application.path, standing, in: application.partition)
    }

    /// Some program of a partition that nothing lists.
    fileprivate init(_ partition: PartitionID?, as process: ProcessUser? = nil) {
        self.init(
            partition == .appleTool ? .securityTool : nil, .file, at: "", .valid, in: partition, as: process)
    }
}
