import Testing

@testable import ChatelaineModel

/// Tests of entries for the processes of a user or group, whatever program they run (behaviour/access-objects.md, 57 to
/// 59).
@Suite struct ProcessOwnerTests {
    private static func owner(_ rule: ProcessOwner.Rule) throws -> ProcessOwner {
        try #require(ProcessOwner(rule, user: 1000, group: 50))
    }

    private static func access(_ owner: ProcessOwner, in partition: PartitionID? = nil) -> AccessObject {
        let access = AccessSamples.reading(.processes(owner))
        return partition.map { access.partitioned(PartitionList([$0])) } ?? access
    }

    private static func verdict(_ access: AccessObject, _ caller: ACLCaller, ui: Bool = false) -> ACLVerdict {
        ACLEvaluation.decide(access, right: .decrypt, caller: caller, ui: ui)
    }

    private static let rules: [(rule: ProcessOwner.Rule, admitted: [Bool])] = [
        (.user, [true, true, false, false]), (.group, [true, false, true, false]),
        ([.user, .group], [true, false, false, false]), ([.user, .honorsRoot], [true, true, false, true]),
        ([.user, .group, .honorsRoot], [true, false, false, false]),
        ([.group, .honorsRoot], [true, false, true, false]),
    ]

    @Test(arguments: rules)
    func userAndGroupCountAsTheRuleSays(rule: ProcessOwner.Rule, admitted: [Bool]) throws {
        let owner = try Self.owner(rule)
        let processes = [(1000, 50), (1000, 51), (1001, 50), (0, 0)] as [(UInt32, UInt32)]
        for (process, isAdmitted) in zip(processes, admitted) {
            let caller = AccessSamples.sync().running(as: process.0, process.1)
            #expect(Self.verdict(Self.access(owner), caller) == (isAdmitted ? .allowed : .denied(.notAuthorized)))
        }
        // Such an entry never admits a program that is not running.
        #expect(Self.verdict(Self.access(owner), AccessSamples.sync()) == .denied(.notAuthorized))
    }

    @Test(arguments: [ProcessOwner.Rule([]), .honorsRoot, .init(rawValue: 0x8000)])
    func aRuleByWhichNothingCountsIsNone(rule: ProcessOwner.Rule) {
        #expect(ProcessOwner(rule, user: 0, group: 0) == nil)
    }

    /// The user's other programs are not in the item's partition, so a person is asked about them.
    @Test func thePartitionListComesOnTop() throws {
        let access = Self.access(try Self.owner(.user), in: .apple)
        let (git, sync) = (AccessSamples.git.running(as: 1000, 1), AccessSamples.sync().running(as: 1000, 1))
        #expect(Self.verdict(access, git) == .allowed)
        #expect(Self.verdict(access, sync) == .denied(.interactionForbidden))
        guard case .needsPerson(let question) = Self.verdict(access, sync, ui: true) else {
            Issue.record("nobody is asked")
            return
        }
        #expect(question.reason == .partition)
    }

    @Test func theOwnerEntryLetsThemChangeTheObject() throws {
        let access = AccessObject(owner: ACLEntry([.changeACL], .processes(try Self.owner(.user))), entries: [])
        let ada = AccessSamples.sync().running(as: 1000, 1)
        #expect(ACLEvaluation.decide(access, right: .changeACL, caller: ada, ui: false) == .allowed)
        #expect(Self.verdict(access, ada) == .denied(.notAuthorized))
    }

    @Test func itHasNoSimpleForm() throws {
        var entry = ACLEntry([.decrypt], .processes(try Self.owner(.user)))
        #expect(throws: ACLEntry.notSimple) { try entry.contents() }
        #expect(throws: ACLEntry.notSimple) { try entry.set(ACLContents(applications: nil, prompt: ACLPrompt(""))) }
        try entry.update([.sign])
        #expect(entry == ACLEntry([.sign], .processes(try Self.owner(.user))))
        entry.authorizations.insert(.partitionID)
        #expect(throws: KeychainError(.invalidACL, "")) { try AccessObject(owner: entry, entries: []).validate() }
    }

    @Test func whomItLetsInIsTold() throws {
        let owner = try Self.owner(.user)
        let grant = AccessGrant(grantee: .processes(owner), rights: [.decrypt])
        #expect(Self.access(owner).grants(of: .genericPassword) == [grant])
        #expect(Self.access(owner, in: .apple).grants(of: .genericPassword) == [grant])
        let closed = AccessSamples.reading(.processes(owner)).partitioned(PartitionList([]))
        #expect(closed.grants(of: .genericPassword).isEmpty)
    }

    /// Our encoder never writes a meaningless rule or a number that is too large.
    @Test(arguments: [[0, 0, 0], [1, 1 << 32, 0], [1, 0, 1 << 32], [1 << 16 | 1, 0, 0], [1, 0]] as [[UInt64]])
    func whatIsNoRuleIsNotRead(numbers: [UInt64]) throws {
        var writer = CBORWriter()
        writer.writeArray(count: numbers.count)
        for number in numbers { writer.write(number) }
        let bytes = writer.finishArray()
        #expect(throws: CBORError.self) {
            try bytes.withUnsafeBytes { bytes in
                var reader = CBORReader(bytes)
                return try ProcessOwner(from: &reader)
            }
        }
    }
}
