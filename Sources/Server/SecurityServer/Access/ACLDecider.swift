import ChatelaineIPC
import ChatelaineModel
import ItemStore

/// Decides by the access object of an item in a file keychain (ARCHITECTURE.md, *File keychains: who may use an item*).
///
/// A decider serves one request, since the request says whether a person may be asked, and about what.
struct ACLDecider: AccessDecider {
    /// The purpose of the request, where the operation alone does not tell it.
    enum Purpose: Sendable {
        case ordinary
        /// The request replaces the access object of an item.
        case changingAccess
        /// The owner of the keychain asks, having given its password, and need not be listed.
        case ofOwner
        /// A deletion by `SecItemDelete`, about which nobody is asked.
        case deletingListed
    }

    let setting: KeychainSetting
    let path: KeychainPath
    let ui: AuthenticationUI
    var purpose = Purpose.ordinary

    func decide(
        _ operation: RowOperation, on row: RowAccess, for caller: Caller, in keychain: OpenedKeychain,
        _ authentication: inout RequestAuthentication
    ) throws(KeychainError) -> AccessDecision {
        guard let right = right(operation, row) else { return .allowed }
        guard let access = try row.access() else { return .refused(ACLDenial.unusable.error) }
        let asker = caller.asAccessObjectsKnowIt(setting.tools)
        let mayAsk = ui == .allow && !(operation == .delete && purpose == .deletingListed)
        let verdict = ACLEvaluation.decide(
            access, right: right, caller: asker, ui: mayAsk, isOfSystem: path.isOfMachine)
        switch verdict {
        case .allowed: return .allowed
        case .denied where operation == .delete:
            return .refused(
                KeychainError(
                    cause: .notEntitled, status: .invalidOwnerEdit,
                    "an item is deleted by programs that may read it: list the program in the item's access object"))
        case .denied(let denial): return .refused(denial.error)
        case .needsPerson(let question):
            let use = KeychainItemUse(
                keychain: path, item: row.context.row, epoch: keychain.epoch, label: try row.title(), caller: asker,
                right: operation == .delete ? .delete : right, question: question)
            return .asks(use, by: try setting.proof(for: use))
        }
    }

    /// The right that an operation needs; nil where every caller has it.
    ///
    /// A program that may read an item may delete it, as on macOS. A program that writes an item must belong to one of
    /// its partitions. A certificate has no access object. Taking a key out needs a right of its own, since the key's
    /// bytes give more than decrypting with it.
    private func right(_ operation: RowOperation, _ row: RowAccess) -> ACLAuthorization? {
        if row.context.itemClass == .certificate { return nil }
        return switch (purpose, operation) {
        case (.ofOwner, _), (_, .readAttributes), (_, .add): nil
        case (.changingAccess, .update): .changeACL
        // Nobody gets these bytes, so nobody is asked about them.
        case (_, .readSecret) where row.isPublic || row.keyCustody.map { $0 != .exportable } ?? false: nil
        case (_, .readSecret) where row.context.itemClass == .key: .exportClear
        case (_, .readSecret), (_, .delete), (_, .unwrap): .decrypt
        case (_, .update), (_, .wrap): .encrypt
        case (_, .sign): .sign
        case (_, .decrypt): .decrypt
        case (_, .agree): .derive
        }
    }
}
