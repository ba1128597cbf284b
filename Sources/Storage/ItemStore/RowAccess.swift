import ChatelaineModel
import EnclaveProtocol
import Sealing

/// An operation on an opened row.
package enum RowOperation: UInt8, Sendable, CaseIterable {
    /// The attributes of the row, or a reference to it, are returned.
    case readAttributes
    /// The secret of the row is unsealed and returned.
    case readSecret
    case update
    case delete
    /// The row is about to be stored; decided about for rows with constraints only.
    case add
    /// A private key signs.
    case sign
    /// A private key decrypts.
    case decrypt
    /// A private key and the public key of another agree on a shared secret.
    case agree
    /// A symmetric key wraps another key.
    case wrap
    /// A symmetric key unwraps another key.
    case unwrap
}

extension KeyTask {
    /// The operations that all have to be allowed for the task.
    var rowOperations: [RowOperation] {
        switch self {
        case .wrap: [.wrap]
        case .unwrap: [.unwrap]
        case .sign, .decrypt, .agree, .export:
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
}

/// A row as an authoriser sees it: opened and matching, before its secret is unsealed or a change of it prepared.
package struct RowAccess {
    fileprivate(set) var row: OpenedRow
    let store: ItemStore

    /// The place and version of the row; the request acts on this version, or has the row decided about again.
    package var context: RowContext { row.context }

    /// The constraints on the use of the row; nil for nearly all rows, which only their protection class protects.
    package var constraints: AccessConstraints? { row.context.constraints }

    /// The access object of the row, which says who may use it; nil in the data protection keychain, where the group
    /// does.
    ///
    /// - Throws: `errSecDecode` for an access object that no version of this software has written; the item is then
    ///   unusable.
    package func access() throws(KeychainError) -> AccessObject? {
        guard let encoding = row.access else { return nil }
        return try store.accessObjects.object(encoding, of: row.context.row)
    }

    /// The custody of a private key, or of a symmetric key that never leaves; nil for another row.
    package var keyCustody: KeyCustody? { row.context.keyCustody }

    /// Whether the contents are no secret: a public key, or a certificate that stands in clear.
    package var isPublic: Bool { row.certificate != nil || row.key.map { $0.custody == nil } ?? false }

    /// Whether the row is in an access group, as its seal says.
    package func isOf(_ group: AccessGroup) -> Bool { store.digests.group(group) == row.context.groupDigest }

    /// The attributes of the row; it is read again where the search did not keep them.
    ///
    /// Ordinary look-ups need no attributes, and save their cost.
    ///
    /// - Throws: `errSecNotAvailable` where the row has changed since; the errors of the disk.
    package func attributes() throws(KeychainError) -> AttributeSet {
        if row.encodedAttributes != nil { return row.attributes }
        return try store.readAgain(row, wantsSecret: false).attributes
    }

    /// The wrapped key of the row's secret; nil without a secret.
    ///
    /// The row is read again where the search did not keep it.
    ///
    /// - Throws: as ``attributes()``, and `errSecDecode` for a key that no class key can have wrapped.
    package func wrappedKey() throws(KeychainError) -> WrappedRowKey? {
        guard row.secretVersion != 0 else { return nil }
        let opened = row.secret == nil ? try store.readAgain(row, wantsSecret: true) : row
        guard let wrapped = opened.secret?.wrapped(for: opened) else {
            throw KeychainError(.decode, "the key of an item's secret is damaged")
        }
        return wrapped
    }
}

/// Decides about one row: true accepts it, false leaves it out as if it did not match, an error ends the whole request.
///
/// The store asks about each row of a request, each time the request looks for its rows, and the closure must not wait.
/// A change that was allowed is written to that version or not at all.
package typealias RowAuthoriser = (_ row: RowAccess, _ operation: RowOperation) throws(KeychainError) -> Bool

extension ItemStore {
    /// Checks an access object: only items of file keychains have one, and it has to keep its limits.
    func requireAccess(_ access: AccessObject?) throws(KeychainError) {
        guard let access else { return }
        guard examiner.form == .authenticated else {
            throw KeychainError(
                .param, "an item of the data protection keychain has no access object, but an access group")
        }
        try access.validate()
    }

    /// How many rows beyond those left out a repeated search looks for.
    static let rowsBesideThoseLeftOut = 64

    /// Reads a row again with more of its parts, in the version in which it was opened.
    fileprivate func readAgain(_ row: OpenedRow, wantsSecret: Bool) throws(KeychainError) -> OpenedRow {
        if row.isPending { try engine.bring([row.context.row.bytes], usingIndex: true) }
        var verdict = try judgeAgain(row, wantsSecret: wantsSecret)
        if case .missingKey(let id) = verdict {
            // The keys were forgotten meanwhile. Where the keychain was locked, the custodian says so.
            try metadataKeys.load(id)
            verdict = try judgeAgain(row, wantsSecret: wantsSecret)
        }
        guard case .match(let found) = verdict, found.context == row.context else {
            throw KeychainError(.notAvailable, "an item was changed while it was decided who may use it; try again")
        }
        return found
    }

    private func judgeAgain(_ row: OpenedRow, wantsSecret: Bool) throws(KeychainError) -> RowOpener.Verdict {
        let opener = RowOpener(store: identifier, keys: metadataKeys.all, lostKeys: LostKeys())
        return try readers.read { (reader) throws(KeychainError) -> RowOpener.Verdict in
            let statement = try reader.statements[row.isPending ? .rowByIdentifier : .row]
            defer { statement.reset() }
            if row.isPending { try statement.bind(1, row.context.row.value) } else { statement.bind(1, row.row) }
            guard try statement.step() else { return .mismatch }
            return opener.judge(statement, wantsSecret: wantsSecret, digests: digests)
        }
    }

    /// Has rows decided about in their order until so many are accepted, and takes them out of `candidates`.
    ///
    /// - Parameter leavingOut: gets the numbers of rows that are to be left out.
    /// - Returns: the accepted rows.
    func accepted(
        _ candidates: inout ArraySlice<OpenedRow>, atMost most: Int, _ operation: RowOperation,
        _ authoriser: RowAuthoriser, leavingOut: (Int64) -> Void
    ) throws(KeychainError) -> [OpenedRow] {
        guard let first = candidates.first else { return [] }
        var leftOut: Set<Int64> = []
        // One value for all rows of a listing: a reference to the store for each of them would cost more.
        var access = RowAccess(row: first, store: self)
        var (index, count) = (candidates.startIndex, 0)
        while index < candidates.endIndex, count < most {
            access.row = candidates[index]
            if try authoriser(access, operation) { count += 1 } else { leftOut.insert(candidates[index].row) }
            index += 1
        }
        let looked = candidates[..<index]
        candidates = candidates[index...]
        for row in leftOut { leavingOut(row) }
        return leftOut.isEmpty ? Array(looked) : looked.filter { !leftOut.contains($0.row) }
    }

    /// Has rows decided about, and removes those that are to be left out; `leavingOut` gets their numbers.
    func authorise(
        _ rows: inout [OpenedRow], _ operation: RowOperation, _ authoriser: RowAuthoriser,
        leavingOut: (Int64) -> Void = { _ in }
    ) throws(KeychainError) {
        guard let first = rows.first else { return }
        var leftOut: Set<Int64> = []
        // One value for all rows of a listing: a reference to the store for each of them would cost more.
        var access = RowAccess(row: first, store: self)
        for row in rows {
            access.row = row
            if try !authoriser(access, operation) { leftOut.insert(row.row) }
        }
        guard !leftOut.isEmpty else { return }
        rows.removeAll { leftOut.contains($0.row) }
        for row in leftOut { leavingOut(row) }
    }
}
