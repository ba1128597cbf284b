/// What a person's answer writes into the access object that it was asked about.
extension AccessObject {
    /// After *Always Allow*: the program stands first in the entry's list, and its partition is in the partition list.
    ///
    /// - Parameter question: what ``ACLEvaluation`` made of this very object; of another one, it has to decide again.
    /// - Returns: nil of a program that is never remembered, for the owner's entry, which gives the whole object away,
    ///   and where there is no room.
    package func remembering(_ caller: ACLCaller, after question: ACLQuestion) -> AccessObject? {
        guard let application = caller.rememberable, case .entry(let index) = question.place,
            entries.indices.contains(index)
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

    /// After *Change All*: the program in the place of the one that it was, in every entry, and its partition in the
    /// place of the former's.
    ///
    /// - Returns: nil where the former program is not listed, for a program that is never remembered, and where there
    ///   is no room.
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

    /// A digest that another listed program still has stays. A team's partition stays always, since it is of other
    /// programs as well.
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
    /// Each program once: where the new one is listed already, the former goes.
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
    /// A copy of the same content elsewhere is another program's file, and stays listed.
    fileprivate func isSameProgram(as other: TrustedApplication) -> Bool {
        identity == other.identity && path == other.path
    }
}
