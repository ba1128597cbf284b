import ChatelaineModel
import Foundation
import ItemStore
import Testing
import TrustProtocol

@testable import CallerIdentity
@testable import SecurityServer

extension Caller {
    /// A signed caller as the resolver would identify it, without a process.
    static func signed(
        _ groups: [String], identifier: String = "ABCDE12345.mail", key: UInt8 = 1, applicationGroups: [String] = []
    ) -> Caller {
        guard let path = CanonicalPath("/usr/local/bin/mail"), let team = TeamIdentifier("ABCDE12345"),
            let anchor = Bytes32([UInt8](repeating: key, count: Bytes32.count))
        else { preconditionFailure("no team") }
        let claims = SignedClaims(
            owner: TeamOwner(team: team, anchorKey: anchor), identifier: identifier, keychainGroups: groups,
            applicationGroups: applicationGroups, entitlements: [], validFrom: 0, validUntil: .max, certificates: [])
        var identity = Identity(
            principal: Principal(user: 1000, application: claims.application), assurance: .file, state: .signed, pid: 1,
            group: 100,
            executablePath: path, displayName: "mail", hints: [], digest: nil, ledgerRevision: 1)
        identity.signature = ProgramSignature(
            path: "/usr/local/bin/mail.codesig", file: nil, digest: nil, outcome: .claims(claims, anchoredBy: .root),
            holds: Int64.min...Int64.max, revision: 1)
        return AccessPolicy.caller(identity, inKeychainOf: 1000)
    }
}

/// The groups of a signed program differ between the names that it uses and the stored names.
@Suite struct SignedCallerTests {
    private static let shared: AccessGroup = "ABCDE12345.shared"
    private static let caller = Caller.signed(
        ["ABCDE12345.first", "ABCDE12345.shared"], applicationGroups: ["group.mail", "ABCDE12345.shared"])

    @Test func groupsAreInApplesOrder() throws {
        let groups = try AccessPolicy.groups(of: Self.caller, named: nil)
        #expect(
            groups.map(\.name) == ["ABCDE12345.first", "ABCDE12345.shared", "ABCDE12345.mail", "group.mail"])
        #expect(try AccessPolicy.defaultGroup(of: Self.caller, named: nil).name == "ABCDE12345.first")
        // Without entitlements the identifier is the only group.
        #expect(try AccessPolicy.groups(of: .signed([]), named: nil).map(\.name) == ["ABCDE12345.mail"])
    }

    @Test func aGroupIsNamedWithoutItsOwner() throws {
        let group = try AccessPolicy.defaultGroup(of: Self.caller, named: Self.shared)
        #expect(group.isOfTeam && group.name == Self.shared.text && group.text.hasPrefix("team:ABCDE12345:0101"))
        #expect(try AccessPolicy.groups(of: Self.caller, named: "group.mail").map(\.name) == ["group.mail"])
    }

    /// A caller cannot name the stored form of a group, another program's group, or a name that looks like one.
    @Test(arguments: [
        "ABCDE12345.other", "group.other", "ABCDE12345.shared ", "ABCDE12345.Shared", "", "pinned:/a",
        "path:/usr/local/bin/mail",
    ])
    func anotherIsRefused(_ name: String) throws {
        #expect(throws: KeychainError(.missingEntitlement, "")) {
            try AccessPolicy.groups(of: Self.caller, named: AccessGroup(name))
        }
    }

    @Test func whatIsKeptIsNoNameOfIt() throws {
        for group in Self.caller.groups {
            #expect(throws: KeychainError(.missingEntitlement, "")) {
                try AccessPolicy.groups(of: Self.caller, named: group)
            }
            #expect(throws: KeychainError(.missingEntitlement, "")) {
                try AccessPolicy.groups(of: .sample(), named: group)
            }
            #expect(throws: KeychainError(.missingEntitlement, "")) {
                try AccessPolicy.groups(of: .sample(), named: AccessGroup(group.name))
            }
        }
    }

    /// A team with another key is another team, and its groups of the same names are others.
    @Test func anotherAnchorInheritsNothing() throws {
        let other = Caller.signed(["ABCDE12345.first", "ABCDE12345.shared"], key: 2)
        #expect(Set(other.groups).isDisjoint(with: Self.caller.groups))
        #expect(other.principal != Self.caller.principal)
    }

    // MARK: Items

    private static func query(_ account: String, in group: AccessGroup? = nil) -> ItemQuery {
        var query = KeychainHome.password(account)
        query.accessGroup = group
        query.returns = [.attributes]
        return query
    }

    private static func item(_ account: String, in group: AccessGroup? = nil) -> NewItem {
        var item = NewItem(itemClass: .genericPassword)
        item.attributes[.service] = .text("service")
        item.attributes[.account] = .text(account)
        item.accessGroup = group
        item.returns = [.attributes]
        return item
    }

    private struct Bench {
        let home: WaitingHome
        let keychain: Keychain

        init() throws {
            home = try WaitingHome()
            keychain = Keychain(
                opened: try home.home.registry.default.keychain(), identities: home.services.identities, name: .default,
                changes: home.services.changes, deciders: [AccessPolicy()])
        }

        func access() -> Authorisation {
            Authorisation(RequestAuthentication(home.services.enclave, of: nil))
        }

        func add(_ item: NewItem, _ caller: Caller) throws -> FoundItem {
            var access = access()
            return try keychain.add(item, for: caller, .random(), &access)
        }

        func find(_ query: ItemQuery, _ caller: Caller) throws -> [String?] {
            var access = access()
            var query = query
            query.limit = .all
            return try keychain.find(query, for: caller, &access, whenLarge: {}).map { item in
                if case .text(let group)? = item.attributes[.accessGroup] { group } else { nil }
            }
        }

        func update(_ query: ItemQuery, _ change: ItemChange, _ caller: Caller) throws {
            var access = access()
            try keychain.update(query, change, for: caller, .random(), &access)
        }

        func delete(_ query: ItemQuery, _ caller: Caller) throws {
            var access = access()
            try keychain.delete(query, for: caller, .random(), &access)
        }
    }

    @Test func whatComesBackIsWhatItWrote() throws {
        let bench = try Bench()
        let added = try bench.add(Self.item("a", in: Self.shared), Self.caller)
        #expect(added.attributes[.accessGroup] == .text(Self.shared.text))
        #expect(try bench.find(Self.query("a", in: Self.shared), Self.caller) == [Self.shared.text])
        // Two programs of the team share the group. A third one, or one with another anchor, finds nothing.
        let second = Caller.signed(["ABCDE12345.shared"], identifier: "ABCDE12345.other")
        #expect(try bench.find(Self.query("a"), second) == [Self.shared.text])
        for stranger in [Caller.signed(["ABCDE12345.shared"], key: 2), .signed(["ABCDE12345.third"]), .sample()] {
            #expect(throws: KeychainError(.itemNotFound, "")) { try bench.find(Self.query("a"), stranger) }
        }
    }

    @Test func withoutAGroupAllAreSearched() throws {
        let bench = try Bench()
        for group in Self.caller.groups { _ = try bench.add(Self.item("a", in: AccessGroup(group.name)), Self.caller) }
        #expect(try bench.find(Self.query("a"), Self.caller).count == 4)
        #expect(try bench.find(Self.query("a", in: "group.mail"), Self.caller) == ["group.mail"])
        // The same unique attributes are a duplicate in one group, but separate items in several groups.
        #expect(throws: KeychainError(.duplicateItem, "")) { try bench.add(Self.item("a"), Self.caller) }
    }

    @Test func anUpdateMovesBetweenOwnGroups() throws {
        let bench = try Bench()
        _ = try bench.add(Self.item("a"), Self.caller)
        var change = ItemChange()
        change.accessGroup = "group.mail"
        try bench.update(Self.query("a", in: "ABCDE12345.first"), change, Self.caller)
        #expect(try bench.find(Self.query("a"), Self.caller) == ["group.mail"])
        change.accessGroup = "ABCDE12345.other"
        #expect(throws: KeychainError(.missingEntitlement, "")) {
            try bench.update(Self.query("a"), change, Self.caller)
        }
        change.accessGroup = Self.caller.groups[1]
        #expect(throws: KeychainError(.missingEntitlement, "")) {
            try bench.update(Self.query("a"), change, Self.caller)
        }
        #expect(try bench.find(Self.query("a"), Self.caller) == ["group.mail"])
    }

    @Test func aDeletionByGroupLeavesTheOthers() throws {
        let bench = try Bench()
        for group in Self.caller.groups { _ = try bench.add(Self.item("a", in: AccessGroup(group.name)), Self.caller) }
        try bench.delete(Self.query("a", in: Self.shared), Self.caller)
        #expect(try bench.find(Self.query("a"), Self.caller).count == 3)
        try bench.delete(Self.query("a"), Self.caller)
        #expect(throws: KeychainError(.itemNotFound, "")) { try bench.find(Self.query("a"), Self.caller) }
    }

    /// The owner in front of a group's name counts towards the limit.
    @Test func theLimitOfAttributesIncludesTheOwner() throws {
        let bench = try Bench()
        // The owner takes 81 bytes. Everything else that is added takes 68.
        var item = Self.item("a")
        item.attributes[.label] = .text(String(repeating: "l", count: Limits.attributeBytes - 138))
        #expect(throws: KeychainError(.dataTooLarge, "")) { try bench.add(item, Self.caller) }
        _ = try bench.add(item, .sample(state: .rootOnly))
    }

    /// A subscriber is told of its own groups only.
    @Test func changesAreToldByGroup() throws {
        let bench = try Bench()
        let (one, two) = (try TestConnection(pid: 1, program: 1), try TestConnection(pid: 2, program: 2))
        let changes = bench.home.services.changes
        try changes.subscribe(one.slot, .signed(["ABCDE12345.shared"], identifier: "ABCDE12345.other"))
        try changes.subscribe(two.slot, .signed(["ABCDE12345.shared"], key: 2))
        changes.note([Self.caller.groups[1]], of: one.slot.uid, in: .default)
        #expect(changes.list.member(of: one.slot)?.queue.next() != nil)
        #expect(changes.list.member(of: two.slot)?.queue.next() == nil)
    }

    /// Prints the cost of a look-up by the number of groups: `MEASURE=1 swift test --filter SignedCallerTests`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MEASURE"] != nil, "optional: MEASURE=1 asks for it"))
    func figures() throws {
        let bench = try Bench()
        for count in [1, 20] {
            let caller = Caller.signed(
                (1..<max(2, count)).map { "ABCDE12345.\(count).\($0)" }.dropLast(count == 1 ? 1 : 0))
            let groups = caller.groups
            for (account, group) in [("first", groups[0]), ("last", groups[count - 1])] {
                _ = try bench.add(Self.item("\(account) of \(count)", in: AccessGroup(group.name)), caller)
                var query = Self.query("\(account) of \(count)")
                query.returns = .data
                var times: [Duration] = []
                for _ in 0..<2000 {
                    let start = ContinuousClock.now
                    var access = bench.access()
                    _ = try bench.keychain.find(query, for: caller, &access, whenLarge: {})
                    times.append(start.duration(to: .now))
                }
                times.sort()
                print("\(groups.count) groups, item in the \(account): p50 \(times[1000])")
            }
        }
    }

    @Test func aRejectedProgramIsAdmittedNowhere() throws {
        var identity = Self.caller.identity
        identity.signature = ProgramSignature(
            path: "/usr/local/bin/mail.codesig", file: nil, digest: nil, outcome: .defect(.revoked, detail: "x"),
            holds: Int64.min...Int64.max, revision: 1)
        let caller = AccessPolicy.caller(identity, inKeychainOf: 1000)
        #expect(caller.groups.isEmpty)
        let error = #expect(throws: KeychainError.self) { try caller.admitted() }
        #expect(error?.status == .missingEntitlement && error?.reason.contains("is revoked: x") == true)
    }
}
