import ChatelaineIPC
import ChatelaineModel
import ItemStore

/// Decides by the access object of an item in a file keychain (ARCHITECTURE.md, *File keychains: who may use an item*).
///
/// It is made for one request, since it says who is asked about by what the request lets be asked.
struct ACLDecider: AccessDecider {
    /// What is to be done with items besides what an operation says.
    enum Purpose: Sendable {
        case ordinary
        /// Another access object takes the place of an item's.
        case changingAccess
        /// Somebody decides who need not be listed: the owner of the keychain, who has given its password.
        case ofOwner
        /// A deletion as by `SecItemDelete`, for which nobody is asked.
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

    /// Whoever may read an item may delete it, as on macOS. What is written has to be of one of the item's partitions.
    ///
    /// A certificate has no access object. Whoever takes a key out has all that it can do, which is more than decrypting with it.
    private func right(_ operation: RowOperation, _ row: RowAccess) -> ACLAuthorization? {
        if row.context.itemClass == .certificate { return nil }
        return switch (purpose, operation) {
        case (.ofOwner, _), (_, .readAttributes), (_, .add): nil
        case (.changingAccess, .update): .changeACL
        // What nobody gets, nobody is asked about.
        case (_, .readSecret) where row.isPublic || row.privateKeyUse == .useOnly: nil
        case (_, .readSecret) where row.context.itemClass == .key: .exportClear
        case (_, .readSecret), (_, .delete): .decrypt
        case (_, .update): .encrypt
        case (_, .sign): .sign
        case (_, .decrypt): .decrypt
        case (_, .agree): .derive
        }
    }
}
