import TestSupport
import Testing

@testable import ChatelaineModel

/// Tests of what *Always Allow* and *Change All* write (behaviour/access-objects.md).
@Suite struct RememberingTests {
    private static let (mail, git, sync) = (AccessSamples.mail, AccessSamples.git, AccessSamples.sync())

    private func question(
        _ access: AccessObject, _ caller: ACLCaller, _ right: ACLAuthorization = .decrypt
    ) throws -> ACLQuestion {
        guard case .needsPerson(let question) = ACLEvaluation.decide(access, right: right, caller: caller, ui: true)
        else { throw KeychainError(.param, "nobody is asked") }
        return question
    }

    @Test func theProgramStandsFirstAndItsPartitionLast() throws {
        let access = AccessObject.default(descriptor: "x", trusted: [Self.git.known])
            .partitioned(PartitionList([.apple]))
        let question = try question(access, Self.mail)
        #expect(question.mayBeRemembered)
        let remembered = try #require(access.remembering(Self.mail, after: question))
        #expect(
            remembered.entries[1].subject == .applications([Self.mail.known, Self.git.known], ACLPrompt("x")))
        #expect(remembered.partitionList == PartitionList([.apple, PartitionID(AccessSamples.team)]))
        #expect(remembered.owner == access.owner && remembered.entries[0] == access.entries[0])
        #expect(ACLEvaluation.decide(remembered, right: .decrypt, caller: Self.mail, ui: false) == .allowed)
        #expect(ACLEvaluation.decide(remembered, right: .decrypt, caller: Self.git, ui: false) == .allowed)
    }

    @Test func whoIsListedGetsThePartitionAlone() throws {
        for subject in [ACLSubject.any, AccessSamples.list(Self.git, Self.sync)] {
            let access = AccessSamples.reading(subject).partitioned(PartitionList([.apple]))
            let remembered = try #require(access.remembering(Self.sync, after: try question(access, Self.sync)))
            #expect(remembered.entries[0] == access.entries[0])
            #expect(remembered.partitionList == PartitionList([.apple, PartitionID(AccessSamples.digest(7))]))
        }
    }

    @Test func aProgramIsListedOnce() throws {
        let access = AccessSamples.reading(AccessSamples.list(Self.git, Self.mail.with(.kernel)))
        let remembered = try #require(access.remembering(Self.mail, after: try question(access, Self.mail)))
        #expect(remembered.entries[0].subject == AccessSamples.list(Self.mail, Self.git))
    }

    @Test(arguments: AccessSamples.callers)
    func someAreNeverRemembered(caller: ACLCaller) throws {
        // The owner of the process does not affect whether a program is remembered.
        var program = caller
        program.process = nil
        let isRemembered = [Self.mail, Self.git, Self.sync, Self.mail.with(.kernel)].contains(program)
        #expect((caller.rememberable != nil) == isRemembered)
        guard caller.standing != .unreadable else { return }
        let access = AccessSamples.reading(AccessSamples.list()).partitioned(PartitionList([.apple]))
        #expect(try question(access, caller).mayBeRemembered == isRemembered)
    }

    @Test func changesOfTheObjectAreNeverRemembered() throws {
        let access = AccessObject.default(descriptor: "x", trusted: [Self.mail.known])
        let question = try question(access, Self.mail, .changeACL)
        #expect(question.place == .owner && !question.mayBeRemembered)
        // An entry that gives every right gives this one as well.
        let other = AccessObject.open.partitioned(PartitionList([try #require(PartitionID("teamid:OTHER"))]))
        let second = try self.question(other, Self.mail, .changeACL)
        #expect(second.place != .owner && !second.mayBeRemembered)
    }

    @Test func aFullObjectRemembersNobody() throws {
        let listed = Array(repeating: Self.git.known, count: ACLLimits.applications)
        let access = AccessSamples.reading(.applications(listed, ACLPrompt("x")))
        #expect(try !question(access, Self.mail).mayBeRemembered)
        let many = PartitionList((0..<ACLLimits.partitions).compactMap { PartitionID("\($0)") })
        let other = AccessSamples.reading(.any).partitioned(many)
        #expect(try !question(other, Self.mail).mayBeRemembered)
    }

    // MARK: The changed application

    @Test func changeAllPutsItInTheFormersPlace() throws {
        let changed = AccessSamples.sync(8)
        let former = PartitionID(AccessSamples.digest(7))
        let access = AccessObject(
            owner: ACLEntry([.changeACL], AccessSamples.list(Self.sync)),
            entries: [
                ACLEntry([.decrypt], AccessSamples.list(Self.git, Self.sync, Self.mail)),
                ACLEntry([.sign], AccessSamples.list(changed, Self.sync)), ACLEntry([.encrypt], .any),
            ]
        ).partitioned(PartitionList([.apple, former, .appleTool]))
        let question = try question(access, changed)
        #expect(question.reason == .changed && question.former == Self.sync.known)
        let replaced = try #require(access.replacing(Self.sync.known, by: changed))
        #expect(replaced.owner.subject == AccessSamples.list(changed))
        #expect(replaced.entries[0].subject == AccessSamples.list(Self.git, changed, Self.mail))
        #expect(replaced.entries[1].subject == AccessSamples.list(changed))
        #expect(
            replaced.partitionList == PartitionList([.apple, PartitionID(AccessSamples.digest(8)), .appleTool]))
        #expect(ACLEvaluation.decide(replaced, right: .decrypt, caller: changed, ui: false) == .allowed)
        guard case .needsPerson = ACLEvaluation.decide(replaced, right: .decrypt, caller: Self.sync, ui: true) else {
            Issue.record("the former content still passes")
            return
        }
    }

    @Test func whatOthersHaveStays() throws {
        let copy = AccessSamples.sync(at: "/opt/sync")
        let digest = PartitionID(AccessSamples.digest(7))
        let access = AccessSamples.reading(AccessSamples.list(Self.sync, copy)).partitioned(PartitionList([digest]))
        let replaced = try #require(access.replacing(Self.sync.known, by: AccessSamples.sync(8)))
        #expect(replaced.entries[0].subject == AccessSamples.list(AccessSamples.sync(8), copy))
        #expect(replaced.partitionList == PartitionList([digest, PartitionID(AccessSamples.digest(8))]))
        // A team's partition also covers the team's other programs.
        let signed = AccessSamples.reading(AccessSamples.list(Self.mail))
            .partitioned(PartitionList([PartitionID(AccessSamples.team)]))
        let unsigned = try #require(signed.replacing(Self.mail.known, by: AccessSamples.sync(8, at: Self.mail.path)))
        #expect(unsigned.partitionList?.identifiers.first == PartitionID(AccessSamples.team))
    }

    @Test func whatCannotBeChangedStays() {
        let access = AccessSamples.reading(AccessSamples.list(Self.sync))
        let changed = AccessSamples.sync(8)
        #expect(access.replacing(Self.git.known, by: changed) == nil)
        #expect(access.replacing(Self.sync.known, by: Self.sync) == nil)
        for doubt: ACLCaller.Doubts in [.inDevelopment, .traced, .preloaded, .hidesItsStart] {
            #expect(access.replacing(Self.sync.known, by: changed.with(doubt)) == nil)
        }
        #expect(access.replacing(Self.sync.known, by: AccessSamples.tool) == nil)
        #expect(AccessObject.open.replacing(Self.sync.known, by: changed) == nil)
    }

    // MARK: Whatever the object is

    /// A remembered program causes no further question, no other program gets a right, and the result can be stored.
    @Test func rememberingLetsInThatProgramAndNoOther() throws {
        var generator = SeededGenerator()
        var count = 0
        for _ in 0..<1000 {
            let access = AccessSamples.object(using: &generator)
            for caller in AccessSamples.callers {
                guard
                    case .needsPerson(let question) = ACLEvaluation.decide(
                        access, right: .decrypt, caller: caller, ui: true)
                else { continue }
                let remembered = access.remembering(caller, after: question)
                #expect((remembered != nil) == question.mayBeRemembered)
                guard let remembered else { continue }
                count += 1
                #expect(
                    ACLEvaluation.decide(remembered, right: .decrypt, caller: caller, ui: false) == .allowed,
                    "seed \(generator.seed)")
                #expect(try remembered.rewritten() == remembered)
                for other in AccessSamples.callers
                where other.identity != caller.identity && other.partition != caller.partition {
                    #expect(
                        ACLEvaluation.decide(remembered, right: .decrypt, caller: other, ui: false)
                            == ACLEvaluation.decide(access, right: .decrypt, caller: other, ui: false),
                        "seed \(generator.seed)")
                }
            }
        }
        #expect(count > 100)
    }
}
