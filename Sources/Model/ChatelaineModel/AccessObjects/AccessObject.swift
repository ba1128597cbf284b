/// Who may do what with an item of a file keychain (behaviour/access-objects.md).
///
/// It is authenticated with the item's attributes, in one encoding: `Documentation/formats/access-objects.md`.
package struct AccessObject: Hashable, Sendable {
    /// Who may change this object. It gives no other right.
    package var owner: ACLEntry
    package var entries: [ACLEntry]

    package init(owner: ACLEntry, entries: [ACLEntry]) {
        self.owner = owner
        self.entries = entries
    }

    /// Where an entry stands.
    package enum Place: Hashable, Sendable {
        case owner
        case entry(Int)
    }

    /// The entry at a place; nil where there is none.
    package subscript(place: Place) -> ACLEntry? {
        switch place {
        case .owner: owner
        case .entry(let index): entries.indices.contains(index) ? entries[index] : nil
        }
    }

    /// All places, the owner's last.
    package var places: [Place] { entries.indices.map { .entry($0) } + [.owner] }

    /// Where entries speak of that right, by name or because they speak of all.
    package func places(authorizing right: ACLAuthorization) -> [Place] {
        places.filter { self[$0]?.authorizes(right) == true }
    }

    /// The partition list; nil where the object has none, and nobody is asked for one.
    package var partitionList: PartitionList? { entries.lazy.compactMap(\.subject.partitionList).first }

    /// The same object with that partition list, as a new item has it with the one identifier of its creator.
    package func partitioned(_ list: PartitionList) -> AccessObject {
        var object = self
        let entry = ACLEntry([.partitionID], .partition(list))
        if let index = entries.firstIndex(where: { $0.subject.partitionList != nil }) {
            object.entries[index] = entry
        } else {
            object.entries.append(entry)
        }
        return object
    }
}

// MARK: What there is to begin with

extension AccessObject {
    /// What `SecAccessCreate` makes.
    ///
    /// - Parameter trusted: who is let in without asking; with nobody, a person is asked about everybody.
    package static func `default`(descriptor: String, trusted: [TrustedApplication]) -> AccessObject {
        let prompt = ACLPrompt(ExactText(descriptor))
        return AccessObject(
            owner: ACLEntry([.changeACL], .applications([], prompt)),
            entries: [
                ACLEntry([.encrypt], .any),
                ACLEntry(
                    [.decrypt, .sign, .mac, .derive, .exportClear, .exportWrapped], .applications(trusted, prompt)),
            ])
    }

    /// What an item has that comes without any: its label, or as much of that as fits, is the descriptor.
    package static func `default`(label: String?, creator: TrustedApplication?) -> AccessObject {
        let label = ExactText(label ?? "", limit: ACLLimits.descriptionBytes).text
        return .default(descriptor: label.isEmpty ? "keychain item" : label, trusted: creator.map { [$0] } ?? [])
    }

    /// Open to everybody, for everything.
    package static let open = AccessObject(owner: ACLEntry([.changeACL], .any), entries: [ACLEntry([.any], .any)])
}
