import Testing

@testable import ChatelaineModel

/// Tests of which programs an object lets in without a question, and of what remains after a program is removed.
struct GrantTests {
    private static let digest = ExecutableDigest([UInt8](repeating: 1, count: ExecutableDigest.byteCount))
    private let tool = TrustedApplication(.securityTool, .shared, at: "/usr/bin/security")
    private let git = TrustedApplication(.identifier("path:/usr/bin/git"), .file, at: "/usr/bin/git")
    private let mail = TrustedApplication(AccessSamples.signedIdentity("mail"), .file, at: "/opt/mail")
    private let news = TrustedApplication(AccessSamples.signedIdentity("news"), .file, at: "/opt/news")
    private let python = TrustedApplication(.identifier("path:/usr/bin/python3"), .shared, at: "/usr/bin/python3")
    private let team: PartitionID
    private let own: TrustedApplication
    private let copy: TrustedApplication

    init() throws {
        team = PartitionID(AccessSamples.team)
        let digest = try #require(Self.digest)
        own = TrustedApplication(.digest(digest), .file, at: "/home/u/own")
        copy = TrustedApplication(.digest(digest), .file, at: "/home/u/copy")
    }

    private func object(_ listed: [TrustedApplication], _ partitions: [PartitionID]?) -> AccessObject {
        let object = AccessObject.default(descriptor: "d", trusted: listed)
        return partitions.map { object.partitioned(PartitionList($0)) } ?? object
    }

    @Test func everyKindOfProgramHasItsPartition() {
        #expect([tool, git, mail, own].map(\.partition) == [.appleTool, .apple, team, own.partition])
        #expect(own.partition?.text.hasPrefix("cdhash:") == true)
    }

    @Test func whoIsListedAndOfAPartitionReads() {
        let grants = object([tool, git, mail, own, python], [.appleTool, team]).grants(of: .genericPassword)
        #expect(grants.map(\.grantee) == [tool, git, mail, own, python].map { .program($0) })
        // A program outside these partitions has no right without a prompt. Without a list, an interpreter may
        // overwrite.
        #expect(grants.map(\.rights) == [[.decrypt, .encrypt], [], [.decrypt, .encrypt], [], []])
        #expect(
            object([git, python], nil).grants(of: .genericPassword).map(\.rights) == [
                [.decrypt, .encrypt], [.encrypt],
            ])
    }

    @Test func entriesForEverybodyLetPartitionsIn() throws {
        #expect(
            AccessObject.open.grants(of: .genericPassword) == [
                AccessGrant(grantee: .everybody, rights: AccessGrant.kinds)
            ])
        let unsigned = try #require(PartitionID("unsigned:"))
        let open = AccessObject.open.partitioned(PartitionList([team, unsigned, .appleTool]))
        #expect(open.grants(of: .genericPassword).map(\.grantee) == [.partition(team), .partition(.appleTool)])
        #expect(open.lets(mail) && !open.lets(git))
        #expect(open.grants(of: .genericPassword).allSatisfy { $0.rights == AccessGrant.kinds })
    }

    /// For a key, each right counts separately.
    @Test func whoUsesAKeyIsTold() {
        let all = object([git], [.apple]).grants(of: .key)
        #expect(all.map(\.grantee) == [.program(git)])
        #expect(all.map(\.rights) == [[.sign, .decrypt, .derive, .exportClear, .encrypt]])
        for right in [ACLAuthorization.sign, .derive, .exportClear] {
            var object = object([], nil)
            object.entries.append(ACLEntry([right], .any))
            let grant = AccessGrant(grantee: .everybody, rights: [right, .encrypt])
            #expect(object.grants(of: .key) == [grant])
            #expect(object.lets(git, useItemOf: .key) && !object.lets(git))
            // For a password, this right gives nothing.
            #expect(object.grants(of: .genericPassword).isEmpty)
        }
        #expect(object([], nil).grants(of: .key).isEmpty && !object([], nil).lets(git, useItemOf: .key))
    }

    @Test func aProgramGoesWithItsPartition() {
        let before = object([git, own, mail], [.apple, team] + [own.partition].compactMap { $0 })
        let without = before.removing { $0 == own }
        #expect(without.listed == [git, mail])
        #expect(without.partitionList == PartitionList([.apple, team]))
        #expect(!without.lets(own) && without.lets(git) && without.lets(mail))
        #expect(before.removing { $0 == git }.partitionList?.contains(.apple) == false)
    }

    @Test func aPartitionThatOthersShareStays() {
        let before = object([mail, news, own, copy], [team] + [own.partition].compactMap { $0 })
        let without = before.removing { $0 == mail || $0 == own }
        #expect(without.listed == [news, copy])
        #expect(without.partitionList == before.partitionList)
        #expect(!without.lets(mail) && without.lets(news))
        // The partition was not added for a program that is not listed.
        let others = object([news], [.apple, team])
        #expect(others.removing { $0 == git } == others)
        #expect(others.removing({ _ in false }, partitions: [team]).partitionList == PartitionList([.apple]))
    }

    @Test func theOwnerEntryLosesItToo() {
        var before = object([git], [.apple])
        before.owner.subject = .applications([git, mail], ACLPrompt("d"))
        #expect(before.grants(of: .genericPassword).first { $0.grantee == .program(git) }?.rights == AccessGrant.kinds)
        #expect(before.removing { $0 == git }.listed == [mail])
    }
}
