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

extension KeychainItemUse {
    /// What to do where there is nobody to ask, as on a server.
    ///
    /// Lines of programs that fail hold no value of an attribute, and so no name of the item.
    var unanswered: String {
        let remedy =
            switch question.reason {
            case .partition:
                caller.partition.map {
                    "its partition list lacks \($0.text): name it besides the present ones with -S of set-key-partition-list or set-generic-password-partition-list"
                } ?? "the program is of no partition, since its signature does not count"
            case .notListed: "it does not list the program, as -T of the verb that adds it does"
            case .changed: "another program stood at this path when it was listed; list it again"
            case .uncertain: "it lists the program, which may not be what it seems (`security app show`)"
            }
        return
            "a person has to allow the use of the item in \(keychain.text), and nobody can be asked: \(remedy)"
    }
}

extension PersonQuestion {
    /// The question, limited to one use where foreign code may have been loaded into the program that asks.
    ///
    /// - Parameter preloading: looks at the process, which may delay the look. It is called only for answers that could
    ///   be remembered.
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
