import ChatelaineModel
import EnclaveProtocol
import Sealing

/// What is to be done with a row that was opened.
package enum RowOperation: UInt8, Sendable, CaseIterable {
    /// Its attributes, or a reference to it, are handed out.
    case readAttributes
    /// Its secret is unsealed and handed out.
    case readSecret
    case update
    case delete
    /// It is about to be stored; asked of rows with constraints alone.
    case add
    /// A private key signs.
    case sign
    /// A private key decrypts.
    case decrypt
    /// A private key and another's public one agree on something.
    case agree
}

extension KeyTask {
    /// What has to be allowed, all of it.
    package var rowOperations: [RowOperation] {
        operations.map { operation in
            switch operation {
            case .sign: .sign
            case .computeSharedSecret: .agree
            case .decapsulate: .decrypt
            case .decrypt, .encrypt, .delete: .readSecret
            }
        }
    }
}

/// A row that was opened and matches, as whoever decides about it sees it: before its secret is unsealed, and before a change of
/// it is prepared.
package struct RowAccess {
    let row: OpenedRow
    let store: ItemStore

    /// Where the row stands, and in which version. Whatever is done with it is done in this version, or decided about anew.
    package var context: RowContext { row.context }

    /// What may be done with it; nil for nearly all rows, whose protection class alone protects them.
    package var constraints: AccessConstraints? { row.context.constraints }

    /// Who may use it; nil in the data protection keychain, where its group says that.
    ///
    /// - Throws: `errSecDecode` for one that no version of ours has written. The item is of no use then.
    package func access() throws(KeychainError) -> AccessObject? {
        guard let encoding = row.access else { return nil }
        return try store.accessObjects.object(encoding, of: row.context.row)
    }

    /// What may become of it, where it is a private key.
    package var privateKeyUse: PrivateKeyUse? { row.context.privateKeyUse }

    /// Whether what it holds is no secret: a public key, or a certificate that stands in clear.
    package var isPublic: Bool { row.certificate != nil || row.key.map { $0.use == nil } ?? false }

    /// Whether it is of that access group, as its seal says.
    package func isOf(_ group: AccessGroup) -> Bool { store.digests.group(group) == row.context.groupDigest }

    /// Its attributes; read once more where the search has not kept them, which no ordinary look-up pays for.
    ///
    /// - Throws: `errSecNotAvailable` where the row is another one by now, and what the disk says.
    package func attributes() throws(KeychainError) -> AttributeSet {
        if row.encodedAttributes != nil { return row.attributes }
        return try store.readAgain(row, wantsSecret: false).attributes
    }

    /// The key of its secret, as the custodian takes it; nil where it has no secret. Read once more where the search has not kept it.
    ///
    /// - Throws: as ``attributes()``, and `errSecDecode` for one that no class key can have wrapped.
    package func wrappedKey() throws(KeychainError) -> WrappedRowKey? {
        guard row.secretVersion != 0 else { return nil }
        let opened = row.secret == nil ? try store.readAgain(row, wantsSecret: true) : row
        guard let wrapped = opened.secret?.wrapped(for: opened) else {
            throw KeychainError(.decode, "the key of an item's secret is damaged")
        }
        return wrapped
    }
}

/// Decides about one row: true lets it be, false leaves it out as if it did not match, an error ends the whole request.
///
/// It is asked of each row that a request is about, each time the request looks for its rows, and is not to wait. What it allowed for a
/// change is written in that version or not at all.
package typealias RowAuthoriser = (_ row: RowAccess, _ operation: RowOperation) throws(KeychainError) -> Bool

extension ItemStore {
    /// An access object is for items of file keychains, and holds to its limits.
    func requireAccess(_ access: AccessObject?) throws(KeychainError) {
        guard let access else { return }
        guard examiner.form == .authenticated else {
            throw KeychainError(
                .param, "an item of the data protection keychain has no access object, but an access group")
        }
        try access.validate()
    }

    /// Rows from which some were left out are looked for so many at a time.
    static let rowsBesideThoseLeftOut = 64

    /// A row in the version in which it was opened, with more of it.
    fileprivate func readAgain(_ row: OpenedRow, wantsSecret: Bool) throws(KeychainError) -> OpenedRow {
        if row.isPending { try engine.bring([row.context.row.bytes], usingIndex: true) }
        let opener = RowOpener(store: identifier, keys: metadataKeys.all, lostKeys: LostKeys())
        let verdict = try readers.read { (reader) throws(KeychainError) -> RowOpener.Verdict in
            let statement = try reader.statements[row.isPending ? .rowByIdentifier : .row]
            defer { statement.reset() }
            if row.isPending { try statement.bind(1, row.context.row.value) } else { statement.bind(1, row.row) }
            guard try statement.step() else { return .mismatch }
            return opener.judge(statement, wantsSecret: wantsSecret, digests: digests)
        }
        guard case .match(let found) = verdict, found.context == row.context else {
            throw KeychainError(.notAvailable, "an item was changed while it was decided who may use it; try again")
        }
        return found
    }

    /// Has rows decided about, and takes out those that are to be left out; tells their numbers.
    func authorise(
        _ rows: inout [OpenedRow], _ operation: RowOperation, _ authoriser: RowAuthoriser,
        leavingOut: (Int64) -> Void = { _ in }
    ) throws(KeychainError) {
        var leftOut: Set<Int64> = []
        for row in rows where try !authoriser(RowAccess(row: row, store: self), operation) { leftOut.insert(row.row) }
        guard !leftOut.isEmpty else { return }
        rows.removeAll { leftOut.contains($0.row) }
        for row in leftOut { leavingOut(row) }
    }
}
