import CallerIdentity
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
    fileprivate(set) var caller: ACLCaller
    /// What is wanted, which may be more than the right that is asked about.
    let right: ACLAuthorization
    /// What the item's access object makes of that.
    let question: ACLQuestion
}

extension PersonQuestion {
    /// The same where the program that asks is as little certain as its environment says: for one use, where it would be remembered.
    ///
    /// - Parameter preloading: looks at the process, which can hold that up; asked of programs that could be remembered alone.
    func doubting(_ preloading: () -> Preloading) -> PersonQuestion {
        guard case .keychainItem(var use) = subject, case .keychainAccess(let proof) = self.proof,
            proof.mayBeRemembered || proof.isAboutChange
        else { return self }
        switch preloading() {
        case .none: return self
        case .some: use.caller.doubts.insert(.preloaded)
        case .unknown: use.caller.doubts.insert(.hidesItsStart)
        }
        var question = self
        question.subject = .keychainItem(use)
        question.proof = .keychainAccess(proof.forOneUse)
        return question
    }
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
