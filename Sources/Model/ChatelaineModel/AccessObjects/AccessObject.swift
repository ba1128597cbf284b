/// The access object of an item in a file keychain: who has which right (behaviour/access-objects.md).
///
/// It is authenticated together with the item's attributes, in one encoding: `Documentation/formats/access-objects.md`.
package struct AccessObject: Hashable, Sendable {
    /// Who may change this object; the entry gives no other right.
    package var owner: ACLEntry
    package var entries: [ACLEntry]

    package init(owner: ACLEntry, entries: [ACLEntry]) {
        self.owner = owner
        self.entries = entries
    }

    /// The position of an entry.
    package enum Place: Hashable, Sendable {
        case owner
        case entry(Int)
    }

    /// The entry at a place; nil if there is none.
    package subscript(place: Place) -> ACLEntry? {
        switch place {
        case .owner: owner
        case .entry(let index): entries.indices.contains(index) ? entries[index] : nil
        }
    }

    /// All places, the owner's last.
    package var places: [Place] { entries.indices.map { .entry($0) } + [.owner] }

    /// The places of the entries that give the right, by name or through ``ACLAuthorization/any``.
    package func places(authorizing right: ACLAuthorization) -> [Place] {
        places.filter { self[$0]?.authorizes(right) == true }
    }

    /// The partition list; nil if the object has none, so that partitions are not checked.
    package var partitionList: PartitionList? { entries.lazy.compactMap(\.subject.partitionList).first }

    /// The object with this partition list; that of a new item has its creator's identifier only.
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
    /// The object that `SecAccessCreate` makes.
    ///
    /// - Parameter trusted: the programs that are let in without a prompt. If it is empty, every program needs one.
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

    /// The object of an item that is added without one; its descriptor is the label, cut to the limit.
    package static func `default`(label: String?, creator: TrustedApplication?) -> AccessObject {
        let label = ExactText(label ?? "", limit: ACLLimits.descriptionBytes).text
        return .default(descriptor: label.isEmpty ? "keychain item" : label, trusted: creator.map { [$0] } ?? [])
    }

    /// Lets everyone do everything.
    package static let open = AccessObject(owner: ACLEntry([.changeACL], .any), entries: [ACLEntry([.any], .any)])
}

extension AccessObject {
    /// The error where a certificate is to have an access object.
    package static var noneOfCertificates: KeychainError {
        KeychainError(.noAccessForItem, "a certificate is everybody's to read, and has no access object")
    }
}
