/// Decides whether an access object lets a program use an item; nothing else decides it.
///
/// The decision is a function of values, in Apple's order. First come the entries with the right, one after the other.
/// The owner's entry follows, for changes of the object only. A program that is let in then has to be in the partition
/// list.
package enum ACLEvaluation {
    /// - Parameters:
    ///   - ui: whether the caller allows a prompt. Otherwise an entry that needs one is skipped.
    ///   - isOfSystem: whether the item is in a keychain of the machine. On macOS an administrator answers the prompt;
    ///     here no one is asked.
    package static func decide(
        _ access: AccessObject, right: ACLAuthorization, caller: ACLCaller, ui: Bool, isOfSystem: Bool = false
    ) -> ACLVerdict {
        guard access.isUsable else { return .denied(.unusable) }
        // Only the keychain's password changes the partition list, whatever the entries say.
        guard right != .partitionID else { return .denied(.notAuthorized) }
        let isInPartition = access.partitionList.map { caller.isIn($0) } ?? true
        var denial = ACLDenial.notAuthorized
        for (place, entry) in candidates(access, right) {
            let question: ACLQuestion
            switch finding(entry.subject, caller) {
            case .nobody: continue
            case .refuses(let reason):
                denial = reason
                continue
            case .admits(let prompt):
                if isInPartition { return .allowed }
                guard right.isReading, caller.standing != .unreadable else { return .denied(.partition) }
                guard ui else { return .denied(.interactionForbidden) }
                question = ACLQuestion(right, .partition, at: place, prompt)
            case .asks(let reason, let former, let prompt):
                // An answer would not help here, so no one is asked.
                guard isInPartition || right.isReading else { return .denied(.partition) }
                guard ui else {
                    denial = .interactionForbidden
                    continue
                }
                question = ACLQuestion(right, reason, after: former, at: place, prompt)
            }
            guard !isOfSystem else { return .denied(.administrator) }
            return .needsPerson(question.completed(for: caller, in: access))
        }
        return .denied(denial)
    }

    /// The entries to try, with their places.
    ///
    /// The owner's entry gives the owner's rights and no others, whatever its tags are.
    private static func candidates(
        _ access: AccessObject, _ right: ACLAuthorization
    ) -> [(AccessObject.Place, ACLEntry)] {
        let entries = access.entries.enumerated().filter { $0.element.authorizes(right) }
            .map { (AccessObject.Place.entry($0.offset), $0.element) }
        return right.isOfOwner ? entries + [(.owner, access.owner)] : entries
    }

    private enum Finding {
        case admits(ACLPrompt)
        case asks(ACLQuestion.Reason, after: TrustedApplication?, ACLPrompt)
        case refuses(ACLDenial)
        case nobody
    }

    private static func finding(_ subject: ACLSubject, _ caller: ACLCaller) -> Finding {
        switch subject {
        case .any: return .admits(ACLPrompt(""))
        case .anyDescribed(let prompt): return .admits(prompt)
        case .processes(let owner): return caller.process.map(owner.admits) == true ? .admits(ACLPrompt("")) : .nobody
        case .partition, .integrity, .custom: return .nobody
        case .applications(let applications, let prompt):
            if applications.contains(where: { $0.admits(caller) }) { return .admits(prompt) }
            guard prompt.selector.asks(about: caller.standing) else {
                switch caller.standing {
                case .unsigned: return .refuses(.unsigned)
                case .invalid: return .refuses(.invalidSignature)
                case .valid, .unreadable: return .refuses(.unreadableSignature)
                }
            }
            if let identity = caller.identity, applications.contains(where: { $0.identity == identity }) {
                return .asks(.uncertain, after: nil, prompt)
            }
            let former = applications.first { $0.path == caller.path }
            return .asks(former == nil ? .notListed : .changed, after: former, prompt)
        }
    }
}

extension ACLQuestion {
    fileprivate init(
        _ right: ACLAuthorization, _ reason: Reason, after former: TrustedApplication? = nil,
        at place: AccessObject.Place, _ prompt: ACLPrompt
    ) {
        self.right = right
        self.reason = reason
        self.former = former
        self.place = place
        description = prompt.description
        needsKeychainPassword = prompt.selector.contains(.requirePassphrase)
    }

    fileprivate func completed(for caller: ACLCaller, in access: AccessObject) -> ACLQuestion {
        var question = self
        question.mayBeRemembered = access.remembering(caller, after: self) != nil
        return question
    }
}
