/// The changes that the `SecAccess` and `SecACL` calls make to a program's object before it is stored.
extension AccessObject {
    /// Removes an entry.
    ///
    /// - Throws: `errSecInvalidOwnerEdit` for the owner's entry, without which no one could change the object, and
    ///   `errSecParam` if there is no such entry.
    package mutating func remove(_ place: Place) throws(KeychainError) {
        guard case .entry(let index) = place else {
            throw KeychainError(
                .invalidOwnerEdit, "the owner entry of an access object stays; change what is in it")
        }
        guard entries.indices.contains(index) else {
            throw KeychainError(.param, "the access object has no such entry: read it anew")
        }
        entries.remove(at: index)
    }

    /// Lets a program have a right without asking; a program that is listed already keeps its place.
    ///
    /// - Throws: `errSecACLNotSimple` unless exactly one entry gives the right and is a list of applications.
    package mutating func add(_ application: TrustedApplication, to right: ACLAuthorization) throws(KeychainError) {
        let places = places(authorizing: right)
        guard places.count == 1, case .applications(var applications, let prompt)? = self[places[0]]?.subject else {
            throw ACLEntry.notSimple
        }
        guard
            !applications.contains(where: {
                $0.identity == application.identity && $0.assurance <= application.assurance
            })
        else { return }
        applications.append(application)
        let subject = ACLSubject.applications(applications, prompt)
        switch places[0] {
        case .owner: owner.subject = subject
        case .entry(let index): entries[index].subject = subject
        }
    }

    /// Throws if the object has another partition list than the one that it replaces.
    ///
    /// Only the keychain's password allows such a change.
    ///
    /// - Throws: `errSecAuthFailed`.
    package func requireSamePartitionList(as former: AccessObject) throws(KeychainError) {
        let lists = entries.compactMap(\.subject.partitionList)
        guard lists == former.entries.compactMap(\.subject.partitionList) else {
            throw KeychainError(
                cause: .notEntitled, status: .authFailed,
                "the partition list changes with the keychain's password alone: use "
                    + "security set-generic-password-partition-list"
            )
        }
    }

    // MARK: What may be stored

    /// Throws if no keychain may store the object: `errSecInvalidACL` for entries that contradict each other, and
    /// `errSecDataTooLarge` beyond ``ACLLimits``.
    package func validate() throws(KeychainError) {
        if let defect { throw defect }
        guard encoding.count <= ACLLimits.bytes else { throw Self.tooLarge("is larger than 4 MiB") }
    }

    /// What is wrong with the object, apart from its size; nil if nothing is.
    var defect: KeychainError? {
        if entries.count > ACLLimits.entries { return Self.tooLarge("has more than \(ACLLimits.entries) entries") }
        if !isUsable {
            return KeychainError(.invalidACL, "an access object has one partition list: remove the others")
        }
        switch owner.subject {
        case .partition, .integrity:
            return KeychainError(
                .invalidACL, "the owner entry of an access object holds no partition list and no digest")
        default: return ([owner] + entries).lazy.compactMap(\.defect).first
        }
    }

    /// Whether there is at most one partition list; an object with two lets no one in.
    var isUsable: Bool { entries.count { $0.subject.partitionList != nil } <= 1 }

    fileprivate static func tooLarge(_ what: String) -> KeychainError {
        KeychainError(.dataTooLarge, "the access object \(what): take some away")
    }
}

extension ACLEntry {
    fileprivate var defect: KeychainError? {
        if authorizations.count > ACLLimits.authorizations {
            return AccessObject.tooLarge("has an entry of more than \(ACLLimits.authorizations) rights")
        }
        switch subject {
        case .any, .processes: return dataDefect
        case .anyDescribed(let prompt): return dataDefect ?? prompt.defect
        case .applications(let applications, let prompt):
            if applications.count > ACLLimits.applications {
                return AccessObject.tooLarge("lists more than \(ACLLimits.applications) applications for a right")
            }
            return dataDefect ?? prompt.defect ?? applications.lazy.compactMap(\.defect).first
        case .partition(let list):
            if list.identifiers.count > ACLLimits.partitions {
                return AccessObject.tooLarge("has more than \(ACLLimits.partitions) partitions")
            }
            return authorizations == [.partitionID] ? nil : Self.mixed
        case .integrity(let bytes):
            if bytes.count > ACLLimits.integrityBytes { return AccessObject.tooLarge("has a digest that is none") }
            return authorizations == [.integrity] ? nil : Self.mixed
        case .custom(let bytes):
            if bytes.count > ACLLimits.customBytes {
                return AccessObject.tooLarge("has an unknown entry of more than 16 KiB")
            }
            return nil
        }
    }

    /// The error for a right beside the tag of an entry that holds data, which would be two entries in one.
    private var dataDefect: KeychainError? {
        authorizations.isDisjoint(with: [.partitionID, .integrity]) ? nil : Self.mixed
    }

    private static var mixed: KeychainError {
        KeychainError(.invalidACL, "an entry that holds a partition list or a digest gives no right")
    }
}

extension ACLPrompt {
    fileprivate var defect: KeychainError? {
        guard description.byteCount > ACLLimits.descriptionBytes else { return nil }
        return AccessObject.tooLarge("has a description of more than \(ACLLimits.descriptionBytes) bytes")
    }
}

extension TrustedApplication {
    fileprivate var defect: KeychainError? {
        if path.byteCount > ACLLimits.pathBytes {
            return AccessObject.tooLarge("lists a path of more than \(ACLLimits.pathBytes) bytes")
        }
        return identity.isWellFormed
            ? nil : KeychainError(.invalidACL, "an application is known by its signature, root's path or its digest")
    }
}
