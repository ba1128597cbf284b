import ChatelaineIPC
import ChatelaineModel

/// What a program wants with an item of a file keychain, for a person who is asked about it.
package struct KeychainItemUse: Sendable {
    let keychain: KeychainPath
    let item: ItemIdentifier
    /// The opening of the keychain in which that is asked (``OpenedKeychain/epoch``).
    let epoch: Int
    /// Programs have chosen it.
    let label: String
    let caller: ACLCaller
    /// What is wanted, which may be more than the right that is asked about.
    let right: ACLAuthorization
    /// What the item's access object makes of that.
    let question: ACLQuestion
}

extension KeychainPath {
    /// Whether it is one of the whole machine's, for whose items no user answers.
    var isOfMachine: Bool { place == .machine }

    /// What people call it: the name of its file without what stands at the end of all of them.
    var displayName: String {
        guard place != .elsewhere, let file = text.split(separator: "/").last else { return text }
        for suffix in [".keychain-db", "-db"] where file.hasSuffix(suffix) && file.utf8.count > suffix.utf8.count {
            return String(file.dropLast(suffix.count))
        }
        return String(file)
    }
}
