import ChatelaineModel

/// Carries out what a person decides about a changed program (behaviour/callers.md, 9 and 10).
///
/// The answer holds for what the dialog showed. It is carried out or remembered here, and the request then starts from
/// the beginning. If the file or the record has changed by then, the answer does not count and the request leads to
/// another question.
extension WaitingRequest {
    /// Carries out an answer about a changed program or an item of a file keychain, and returns what the request goes
    /// on with.
    func settled(
        _ answer: Result<PersonAnswer, KeychainError>, of question: PersonQuestion, for peer: Peer
    ) -> Result<PersonAnswer, KeychainError> {
        if let use = question.subject as? KeychainItemUse, case .success(let answer) = answer {
            remember(answer, about: use, by: question)
        }
        guard let acceptance = question.subject as? ChangeAcceptance else { return answer }
        let refusal = question.caller.refusal ?? KeychainError(cause: .changedProgram, "the program has changed")
        switch answer {
        // Too many requests wait, or nobody can be asked.
        case .failure: return .failure(refusal)
        case .success(.allowed):
            do throws(KeychainError) {
                if try acceptance.conclude() { log("a changed program was accepted", acceptance) }
            } catch { return .failure(error) }
            peer.decide(nil)
        case .success(.allowedOnce):
            guard acceptance.isCurrent else {
                peer.decide(nil)
                break
            }
            log("a changed program was let in until its process ends", acceptance)
            peer.decide(ChangeAnswer(change: acceptance.change, isAdmitted: true))
        case .success(.locked), .success(.again): break
        // Nobody was asked, since a person refused another process of the program a moment ago. Later somebody is.
        case .success(.impossible(let error)) where error.cause == .notEntitled: return .failure(error)
        case .success(.denied), .success(.wrong), .success(.impossible):
            peer.decide(ChangeAnswer(change: acceptance.change, isAdmitted: false))
            return .failure(refusal)
        case .success:
            // A person who is asked at every call of a program would sooner or later say yes.
            peer.decide(ChangeAnswer(change: acceptance.change, isAdmitted: false))
        }
        return answer
    }

    private func log(_ what: String, _ acceptance: ChangeAcceptance) {
        let slot = handler.context.slot
        handler.context.services.log.notice(
            what,
            [
                "path": acceptance.change.path.text, "sha256": "\(acceptance.change.digest)", "pid": "\(slot.pid)",
                "uid": "\(slot.uid)",
            ])
    }
}
