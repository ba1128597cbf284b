import TestSupport
import Testing

@testable import ChatelaineModel

/// Tests of the rows of E.4 and E.5: whom access objects let in, whom they ask about, and whom they refuse
/// (behaviour/access-objects.md).
@Suite struct ACLEvaluationTests {
    enum Outcome: Equatable {
        case allowed
        case asks(ACLQuestion.Reason, after: TrustedApplication? = nil)
        case denied(ACLDenial)
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let access: AccessObject
        let right: ACLAuthorization
        let caller: ACLCaller
        /// The outcome if a person may be asked; `withoutPerson` is the outcome if not.
        let outcome: Outcome
        let withoutPerson: Outcome

        init(
            _ name: String, _ access: AccessObject, _ caller: ACLCaller, _ outcome: Outcome,
            withoutPerson: Outcome? = nil, to right: ACLAuthorization = .decrypt
        ) {
            testDescription = name
            self.access = access
            self.right = right
            self.caller = caller
            self.outcome = outcome
            if case .asks = outcome {
                self.withoutPerson = withoutPerson ?? .denied(.interactionForbidden)
            } else {
                self.withoutPerson = withoutPerson ?? outcome
            }
        }
    }

    private static let (mail, git, sync, tool) = (
        AccessSamples.mail, AccessSamples.git, AccessSamples.sync(), AccessSamples.tool
    )
    private static let owner = ACLEntry([.changeACL], AccessSamples.list())

    private static func access(_ entries: ACLEntry..., owner: ACLEntry = owner) -> AccessObject {
        AccessObject(owner: owner, entries: entries)
    }

    private static func reading(_ subject: ACLSubject, in partitions: PartitionID...) -> AccessObject {
        let access = AccessSamples.reading(subject)
        return partitions.isEmpty ? access : access.partitioned(PartitionList(partitions))
    }

    static let entries: [Row] = {
        let mailOnly = AccessSamples.list(mail)
        let both = access(ACLEntry([.decrypt], mailOnly), ACLEntry([.any], AccessSamples.list(git)))
        return [
            Row("a listed program passes", reading(mailOnly), mail, .allowed),
            Row("another is asked about", reading(mailOnly), git, .asks(.notListed)),
            Row("everybody passes any", reading(.any), AccessSamples.unknown(.invalid), .allowed),
            Row("everybody passes a described any", reading(.anyDescribed(ACLPrompt("x"))), sync, .allowed),
            Row("nobody is listed: everybody is asked about", reading(AccessSamples.list()), mail, .asks(.notListed)),
            Row("no entry speaks of the right", reading(mailOnly), mail, .denied(.notAuthorized), to: .sign),
            Row("an entry of any right speaks of it", access(ACLEntry([.any], mailOnly)), mail, .allowed, to: .sign),
            Row("the first that asks wins over a later list", both, git, .asks(.notListed), withoutPerson: .allowed),
            Row("an entry that holds data lets nobody in", reading(.custom([])), mail, .denied(.notAuthorized)),
            Row(
                "what is custom is passed over", access(ACLEntry([.decrypt], .custom([])), ACLEntry([.any], .any)),
                mail,
                .allowed),
            Row(
                "an entry of no right speaks of none", access(ACLEntry([], .any)), mail, .denied(.notAuthorized)),
            Row("there are no entries", access(), mail, .denied(.notAuthorized)),
        ]
    }()

    static let owners: [Row] = {
        let open = ACLEntry([.any], .any)
        return [
            Row("it asks before the object is changed", access(), mail, .asks(.notListed), to: .changeACL),
            Row("and before the owner is", access(), mail, .asks(.notListed), to: .changeOwner),
            Row("it gives no other right", access(owner: open), mail, .denied(.notAuthorized)),
            Row(
                "nor does a list in it", access(owner: ACLEntry([.any], AccessSamples.list(mail))), mail,
                .denied(.notAuthorized)),
            Row(
                "whom it lists may change the object", access(owner: ACLEntry([], AccessSamples.list(mail))), mail,
                .allowed, to: .changeACL),
            Row(
                "an entry that gives the right comes before it", access(ACLEntry([.changeACL], .any)), git, .allowed,
                to: .changeACL),
            Row("the open object is everybody's", .open, AccessSamples.unknown(.invalid), .allowed, to: .changeACL),
        ]
    }()

    static let callers: [Row] = {
        var changed = AccessSamples.sync(8)
        let list = AccessSamples.list(sync, mail, git, tool, AccessSamples.python)
        let former = sync.known
        let reused = git.at(mail.path)
        return [
            Row("a program whose file changed", reading(list), changed, .asks(.changed, after: former)),
            Row(
                "an unsigned program in the place of a signed one", reading(list), AccessSamples.sync(8, at: mail.path),
                .asks(.changed, after: mail.known)),
            Row("another program of root's in its place", reading(list), reused, .allowed),
            Row(
                "one that changed and is in development", reading(list), changed.with(.inDevelopment),
                .asks(.changed, after: former)),
            Row("in development", reading(list), sync.with(.inDevelopment), .asks(.uncertain)),
            Row("traced", reading(list), mail.with(.traced), .asks(.uncertain)),
            Row("an interpreter", reading(list), AccessSamples.python, .asks(.uncertain)),
            Row("on a kernel that does not vouch for it", reading(list), git.with(.degraded), .asks(.uncertain)),
            Row("the security command where it is listed", reading(list), tool, .allowed),
            Row("the security command where it is not", reading(AccessSamples.list(mail)), tool, .asks(.notListed)),
        ]
    }()

    static let selectors: [Row] = {
        let (bad, unread) = (AccessSamples.unknown(.invalid), AccessSamples.unknown(.unreadable))
        func asking(_ selector: PromptSelector) -> AccessObject { reading(AccessSamples.list(selector: selector)) }
        return [
            Row("unsigned by default", asking([]), sync, .asks(.notListed)),
            Row("unsigned, act alone", asking(.unsignedAct), sync, .denied(.unsigned)),
            Row("unsigned and act", asking([.unsigned, .unsignedAct]), sync, .asks(.notListed)),
            Row("unsigned without act", asking(.unsigned), sync, .asks(.notListed)),
            Row("invalid act is not about unsigned", asking(.invalidAct), sync, .asks(.notListed)),
            Row("invalid by default", asking([]), bad, .asks(.notListed)),
            Row("invalid, act alone", asking(.invalidAct), bad, .denied(.invalidSignature)),
            Row("invalid and act", asking([.invalid, .invalidAct]), bad, .asks(.notListed)),
            Row("invalid without act", asking(.invalid), bad, .asks(.notListed)),
            Row("any other failure", asking([.invalid, .invalidAct]), unread, .denied(.unreadableSignature)),
            Row("signed in spite of both acts", asking([.unsignedAct, .invalidAct]), mail, .asks(.notListed)),
            Row(
                "a listed unsigned program needs no question",
                reading(AccessSamples.list(sync, selector: .unsignedAct)),
                sync, .allowed),
        ]
    }()

    static let partitions: [Row] = {
        let all = AccessSamples.list(mail, git, sync, tool)
        let team = PartitionID(AccessSamples.team)
        let encrypting = access(ACLEntry([.encrypt], .any)).partitioned(PartitionList([.apple]))
        let twice = access(
            ACLEntry([.any], .any), ACLEntry([.partitionID], .partition(PartitionList([.apple]))),
            ACLEntry([.partitionID], .partition(PartitionList([.apple]))))
        return [
            Row("signed: its team", reading(all, in: team), mail, .allowed),
            Row("root-only: apple:", reading(all, in: .apple), git, .allowed),
            Row("the security command: apple-tool:", reading(all, in: .appleTool), tool, .allowed),
            Row("the security command is not in apple:", reading(all, in: .apple), tool, .asks(.partition)),
            Row("unsigned: its digest", reading(all, in: PartitionID(AccessSamples.digest(7))), sync, .allowed),
            Row(
                "unsigned: lets nobody in", reading(all, in: PartitionID("unsigned:") ?? .apple), sync,
                .asks(.partition)),
            Row("apple: is no interpreter", reading(.any, in: .apple), AccessSamples.python, .asks(.partition)),
            Row("apple: is nobody traced", reading(.any, in: .apple), git.with(.traced), .asks(.partition)),
            Row("no program of that team", reading(all, in: .apple), mail, .asks(.partition)),
            Row("nobody's", AccessSamples.reading(all).partitioned(PartitionList([])), mail, .asks(.partition)),
            Row("asked once for both", reading(AccessSamples.list(), in: .apple), mail, .asks(.notListed)),
            Row("nobody is asked about encrypting", encrypting, mail, .denied(.partition), to: .encrypt),
            Row(
                "nor where a list would ask",
                access(ACLEntry([.encrypt], AccessSamples.list())).partitioned(PartitionList([.apple])), mail,
                .denied(.partition), to: .encrypt),
            Row("who is in it encrypts", encrypting, git, .allowed, to: .encrypt),
            Row("it does not let in by itself", reading(AccessSamples.list(), in: team), mail, .asks(.notListed)),
            Row("it counts for changes of the object", encrypting, git, .asks(.notListed), to: .changeACL),
            Row(
                "who is not known is asked about", reading(.any, in: .apple), AccessSamples.unknown(.invalid),
                .asks(.partition)),
            Row(
                "whose signature cannot be looked at is not", reading(.any, in: .apple),
                AccessSamples.unknown(.unreadable), .denied(.partition)),
            Row("without a list there is no check", reading(all), mail, .allowed),
            Row("nobody has the right to change it", .open, git, .denied(.notAuthorized), to: .partitionID),
            Row(
                "apple: is no interpreter, the command included", reading(.any, in: .apple),
                ACLCaller(.securityTool, .shared, at: tool.path, .valid, in: .apple), .asks(.partition)),
            Row("two lists: nobody", twice, git, .denied(.unusable)),
        ]
    }()

    /// E.4, 1: entries are tried in order, and the first match counts.
    @Test(arguments: entries) func entriesAreTriedInTurn(row: Row) { check(row) }

    /// E.4, 2: the owner entry.
    @Test(arguments: owners) func theOwnerEntryIsForChangesOnly(row: Row) { check(row) }

    /// E.4, application subject: also covers programs that are never let in without a question.
    @Test(arguments: callers) func onlyWhoIsCertainPassesInSilence(row: Row) { check(row) }

    /// E.4, prompt subject: the flags of the selector.
    @Test(arguments: selectors) func theSelectorSaysWhoIsAskedAbout(row: Row) { check(row) }

    /// E.4, 3 and E.5: the partition check comes in addition.
    @Test(arguments: partitions) func thePartitionListComesOnTop(row: Row) { check(row) }

    private func check(_ row: Row) {
        #expect(outcome(row, ui: true) == row.outcome)
        #expect(outcome(row, ui: false) == row.withoutPerson)
    }

    private func outcome(_ row: Row, ui: Bool) -> Outcome {
        switch ACLEvaluation.decide(row.access, right: row.right, caller: row.caller, ui: ui) {
        case .allowed: .allowed
        case .needsPerson(let question): .asks(question.reason, after: question.former)
        case .denied(let denial): .denied(denial)
        }
    }

    @Test func theQuestionSaysWhatTheEntrySays() throws {
        for selector: PromptSelector in [[], .requirePassphrase] {
            let access = Self.access(
                ACLEntry([.sign], .any), ACLEntry([.decrypt], AccessSamples.list(selector: selector)))
            let verdict = ACLEvaluation.decide(access, right: .decrypt, caller: Self.mail, ui: true)
            guard case .needsPerson(let question) = verdict else {
                Issue.record("nobody is asked")
                return
            }
            #expect(question.right == .decrypt && question.place == .entry(1) && question.description == "the item")
            #expect(question.needsKeychainPassword == (selector == .requirePassphrase) && question.mayBeRemembered)
        }
    }

    /// E.4: below /Library/Keychains, the prompt asks for an administrator and has no *Always Allow*.
    ///
    /// Here, no administrator is asked.
    @Test func nobodyIsAskedForTheSystem() {
        for selector in [[], PromptSelector.requirePassphrase] {
            let access = Self.reading(AccessSamples.list(selector: selector), in: .apple)
            for ui in [false, true] {
                let verdict = ACLEvaluation.decide(
                    access, right: .decrypt, caller: Self.mail, ui: ui, isOfSystem: true)
                #expect(verdict == .denied(ui ? .administrator : .interactionForbidden))
            }
            guard case .needsPerson = ACLEvaluation.decide(access, right: .decrypt, caller: Self.mail, ui: true) else {
                Issue.record("of a user's item a person is asked")
                return
            }
        }
        let open = ACLEvaluation.decide(.open, right: .decrypt, caller: Self.mail, ui: true, isOfSystem: true)
        #expect(open == .allowed)
    }

    @Test func refusalsAreApplesStatuses() {
        for denial in ACLDenial.allCases {
            #expect(denial.error.status == (denial == .unusable ? .invalidACL : .authFailed), "\(denial)")
        }
    }

    /// Whatever the object is, a caller is let in only by an entry and a list that name it.
    @Test func decidingIsTotal() {
        var generator = SeededGenerator()
        let rights: [ACLAuthorization] = [.any, .decrypt, .encrypt, .changeACL, .changeOwner, .delete, .unknown]
        for _ in 0..<500 {
            let access = AccessSamples.object(using: &generator)
            for caller in AccessSamples.callers {
                for right in rights {
                    let silent = ACLEvaluation.decide(access, right: right, caller: caller, ui: false)
                    if case .needsPerson = silent { Issue.record("asks although it is forbidden: \(generator.seed)") }
                    let verdict = ACLEvaluation.decide(access, right: right, caller: caller, ui: true)
                    if verdict == .allowed { #expect(silent == .allowed, "seed \(generator.seed)") }
                    guard silent == .allowed else { continue }
                    let gives = access.entries.filter { $0.authorizes(right) } + (right.isOfOwner ? [access.owner] : [])
                    #expect(gives.contains { $0.subject.admits(caller) }, "seed \(generator.seed)")
                    if let list = access.partitionList { #expect(caller.partition.map(list.contains) == true) }
                }
            }
        }
    }
}

extension ACLSubject {
    /// Whether the subject admits the caller, written a second time without the code that decides.
    fileprivate func admits(_ caller: ACLCaller) -> Bool {
        switch self {
        case .any, .anyDescribed: true
        case .applications(let listed, _):
            (caller.identity == .securityTool || (caller.doubts.isEmpty && caller.assurance >= .file))
                && listed.contains { $0.identity == caller.identity }
        case .processes(let owner):
            caller.process.map { process in
                (!owner.rule.contains(.user) || process.user == owner.user
                    || (owner.rule.contains(.honorsRoot) && process.user == 0))
                    && (!owner.rule.contains(.group) || process.group == owner.group)
            } ?? false
        case .partition, .integrity, .custom: false
        }
    }
}
