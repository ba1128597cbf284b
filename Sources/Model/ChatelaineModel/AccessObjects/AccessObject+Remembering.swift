/// The changes that a person's answer to a prompt makes to the access object.
extension AccessObject {
    /// The object after *Always Allow*: the entry lists the program first, and the partition list has its partition.
    ///
    /// - Parameter question: the question that ``ACLEvaluation`` returned for this object. For another object, evaluate
    ///   anew.
    /// - Returns: nil if the program is never remembered, or if there is no room. Nil also for a change of the object,
    ///   which gives the whole of it away.
    package func remembering(_ caller: ACLCaller, after question: ACLQuestion) -> AccessObject? {
        guard let application = caller.rememberable, !question.right.isOfOwner,
            case .entry(let index) = question.place, entries.indices.contains(index)
        else { return nil }
        var object = self
        if case .applications(let listed, let prompt) = entries[index].subject,
            !listed.contains(where: { $0.admits(caller) })
        {
            let others = listed.filter { $0.identity != application.identity }
            object.entries[index].subject = .applications([application] + others, prompt)
        }
        if let list = partitionList {
            guard let partition = caller.partition else { return nil }
            object = object.partitioned(list.adding(partition))
        }
        return object.ifStorable
    }

    /// The object after *Change All*: every entry lists the program in place of the former one.
    ///
    /// Its partition replaces the former one's in the partition list.
    ///
    /// - Returns: nil if the former program is not listed, if the program is never remembered, or if there is no room.
    package func replacing(_ former: TrustedApplication, by caller: ACLCaller) -> AccessObject? {
        guard let application = caller.rememberable, application.identity != former.identity else { return nil }
        var object = self
        object.owner.subject = owner.subject.replacing(former, by: application)
        for index in entries.indices {
            object.entries[index].subject = entries[index].subject.replacing(former, by: application)
        }
        guard object != self else { return nil }
        if let list = partitionList {
            guard let partition = caller.partition else { return nil }
            object = object.partitioned(object.partitions(list, without: former, with: partition))
        }
        return object.ifStorable
    }

    /// The partition list after the replacement.
    ///
    /// A digest stays if another listed program has it. A team's partition always stays, since it is for other programs
    /// too.
    private func partitions(
        _ list: PartitionList, without former: TrustedApplication, with partition: PartitionID
    ) -> PartitionList {
        guard case .digest(let digest) = former.identity, list.contains(PartitionID(digest)), !lists(former.identity)
        else { return list.adding(partition) }
        return list.replacing(PartitionID(digest), by: partition)
    }

    private func lists(_ identity: TrustedApplication.Identity) -> Bool {
        ([owner] + entries).contains { entry in
            guard case .applications(let listed, _) = entry.subject else { return false }
            return listed.contains { $0.identity == identity }
        }
    }

    private var ifStorable: AccessObject? {
        do throws(KeychainError) {
            try validate()
            return self
        } catch { return nil }
    }
}

extension ACLSubject {
    /// The subject after the replacement; if it lists the new program already, the former one is removed.
    fileprivate func replacing(_ former: TrustedApplication, by application: TrustedApplication) -> ACLSubject {
        guard case .applications(let listed, let prompt) = self,
            let index = listed.firstIndex(where: { $0.isSameProgram(as: former) })
        else { return self }
        var changed = listed
        changed[index] = application
        changed = changed.enumerated()
            .filter { place, other in
                place == index || !(other.isSameProgram(as: former) || other.identity == application.identity)
            }
            .map(\.element)
        return .applications(changed, prompt)
    }
}

extension TrustedApplication {
    /// Compares the path as well, since a copy of the same content elsewhere is another file and stays listed.
    fileprivate func isSameProgram(as other: TrustedApplication) -> Bool {
        identity == other.identity && path == other.path
    }
}
