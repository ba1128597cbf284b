import ChatelaineModel
import StoreEngine

extension ItemStore {
    /// The most access groups that are listed; only a deliberate attack makes more of them.
    package static let maximumGroups = 4096

    /// The access groups that have items of a class.
    ///
    /// Their names are sealed in their items, so that one item of each group is opened.
    ///
    /// - Throws: `errSecInteractionNotAllowed` where the first item of a group is locked. `errSecNotAvailable` while a
    ///   recovery goes on, which may bring further groups.
    package func accessGroups(of itemClass: ItemClass) throws(KeychainError) -> [AccessGroup] {
        guard !engine.hasRowsToBring else {
            throw KeychainError(
                .notAvailable, "the keychain is being recovered; all of it can be listed once that is done")
        }
        var lost = LostKeys()
        for _ in 0..<Self.maximumAttempts {
            let opener = RowOpener(store: identifier, keys: metadataKeys.all, lostKeys: lost)
            let found = try readers.read { (reader) throws(KeychainError) in
                try accessGroups(of: itemClass, reader, opener)
            }
            switch found {
            case .success(let groups): return groups
            case .failure(let missing): try fetch([missing.key], lost: &lost)
            }
        }
        throw KeychainError(.internalComponent, "a search met ever more metadata keys")
    }

    private struct MissingKey: Error { let key: UInt32 }

    private func accessGroups(
        of itemClass: ItemClass, _ reader: Reader, _ opener: RowOpener
    ) throws(KeychainError) -> Result<[AccessGroup], MissingKey> {
        var groups: [AccessGroup] = []
        var (digest, row) = ([UInt8](), Int64.min)
        while groups.count < Self.maximumGroups {
            let statement = try reader.statements[.nextGroup]
            defer { statement.reset() }
            statement.bind(1, Int64(itemClass.rawValue))
            try statement.bind(2, digest)
            statement.bind(3, row)
            guard try statement.step() else { return .success(groups) }
            digest = Array(statement.lend(StoredRow.Column.groupDigest))
            row = statement.integer(StoredRow.Column.row)
            switch opener.judge(statement, wantsSecret: false, digests: digests) {
            case .match(let found):
                if case .text(let group)? = found.attributes[.accessGroup] { groups.append(AccessGroup(group)) }
                row = .max
            case .missingKey(let key): return .failure(MissingKey(key: key))
            // The next item of the group may have its name; a search sets a damaged item aside.
            case .damaged, .mismatch: break
            }
        }
        throw KeychainError(.dataTooLarge, "there are more than \(Self.maximumGroups) access groups")
    }
}
