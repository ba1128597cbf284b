import CallerIdentity
import ChatelaineIPC
import ChatelaineModel

/// The use of an item of a file keychain about which a person is asked.
package struct KeychainItemUse: Sendable {
    let keychain: KeychainPath
    let item: ItemIdentifier
    /// The opening of the keychain in which the use is asked for (``OpenedKeychain/epoch``).
    let epoch: Int
    /// The name of the item, which programs have chosen.
    let label: String
    fileprivate(set) var caller: ACLCaller
    /// The wanted right, which may be more than the right that the question is about.
    let right: ACLAuthorization
    /// The question to which the item's access object leads.
    let question: ACLQuestion
}

extension PersonQuestion {
    /// The question, limited to one use where foreign code may have been loaded into the program that asks.
    ///
    /// - Parameter preloading: looks at the process, which may delay the look. It is called only for answers that could
    ///   be remembered.
    func doubting(_ preloading: () -> Preloading) -> PersonQuestion {
        guard var use = subject as? KeychainItemUse, case .keychainAccess(let proof) = self.proof,
            proof.mayBeRemembered || proof.isAboutChange
        else { return self }
        switch preloading() {
        case .none: return self
        case .some: use.caller.doubts.insert(.preloaded)
        case .unknown: use.caller.doubts.insert(.hidesItsStart)
        }
        var question = self
        question.subject = use
        question.proof = .keychainAccess(proof.forOneUse)
        return question
    }
}

extension KeychainPath {
    /// Whether the keychain belongs to the whole machine.
    ///
    /// No user answers for its items.
    var isOfMachine: Bool { place == .machine }

    /// The name for people: the file name without the extension that all keychains share.
    var displayName: String {
        guard place != .elsewhere, let file = text.split(separator: "/").last else { return text }
        for suffix in [".keychain-db", "-db"] where file.hasSuffix(suffix) && file.utf8.count > suffix.utf8.count {
            return String(file.dropLast(suffix.count))
        }
        return String(file)
    }
}
