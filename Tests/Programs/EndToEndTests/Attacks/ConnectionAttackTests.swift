import Foundation
import Testing

/// Tests of programs that try to get another program's item through their connection.
///
/// `keeper` has stored the item, and `evil` is another program of the same user. Both are copies of the attacker, which
/// reports the result of each step.
@Suite struct ConnectionAttackTests {
    private static let greeting = ["hello", "challenge", "nonce", "welcome"]

    private let household: Household
    private let keeper: String
    private let evil: String
    private var connect: String { "connect:" + household.socketPath }

    init() throws {
        household = try Household(uid: geteuid() == 0 ? Privilege.user(1) : geteuid())
        // The call starts the daemon, which raw clients do not do.
        try #require(try household.probe("starter").find("nothing").status == -25300)
        keeper = try household.application("keeper", of: "attacker")
        evil = try household.application("evil", of: "attacker")
        let stored = try household.attack([keeper, connect] + Self.greeting + ["add", "find"])
        try #require(stored == ["challenge ok", "welcome 0", "add 0", "find 0 s3cret"])
    }

    private func expectUntouched() throws {
        let found = try household.attack([keeper, connect] + Self.greeting + ["find"])
        #expect(found.last == "find 0 s3cret", "the item suffered")
    }

    @Test func anotherProgramAsks() throws {
        guard Privilege.isThere() else { return }
        let heard = try household.attack([evil, connect] + Self.greeting + ["find", "update", "delete"])
        #expect(heard == ["challenge ok", "welcome 0", "find -25300", "update -25300", "delete -25300"])
        try expectUntouched()
    }

    @Test(arguments: [0, 1, 2, 3, 4])
    func theConnectorBecomesTheKeeper(after step: Int) throws {
        guard Privilege.isThere() else { return }
        // 0: connect, then exec; 1: send, then exec; from 2 on, the nonce is known.
        var steps = Self.greeting
        steps.insert("leave:\(keeper) hold", at: step)
        for _ in 0..<3 {
            let heard = try household.attack([evil, connect] + steps + ["find", "update", "delete"])
            #expect(!heard.joined().contains("s3cret"))
            #expect(!heard.contains { $0.hasSuffix(" 0") && !$0.hasPrefix("welcome") }, "\(heard)")
        }
        try expectUntouched()
    }

    @Test(arguments: [0, 1, 2, 3, 4])
    func aTrustedCatWritesToTheSocket(after step: Int) throws {
        guard Privilege.isThere() else { return }
        // cat replaces the item's owner, and the user agrees, so cat is now the keeper.
        let cat = keeper
        unlink(cat)
        try household.copy("/usr/bin/cat", to: cat)
        #expect(try household.probe("starter").decide("accept", cat).status == 0)
        var steps = Self.greeting
        steps.insert("relay:\(cat)", at: step)
        let heard = try household.attack([evil, connect] + steps + ["find", "ended"])
        #expect(!heard.joined().contains("s3cret"), "\(heard)")
        #expect(heard.last == "ended yes")
        #expect(!heard.contains("find 0"))
    }

    @Test(arguments: ["dd bs=64k", "cat"])
    func aRootOwnedProgramWritesToTheSocket(_ name: String) throws {
        guard Privilege.isThere() else { return }
        let heard = try household.attack(
            evil, connect, "relay:/usr/bin/\(name)", "hello", "challenge", "nonce", "welcome", "find", "ended")
        #expect(heard.first == "challenge closed")
        #expect(heard.last == "ended yes")
    }

    @Test func theHandshakeNeedsItsDescriptors() throws {
        #expect(try household.attack(keeper, connect, "hello-bare", "challenge") == ["challenge closed"])
        let heard = try household.attack(keeper, connect, "hello", "challenge", "nonce-bare", "welcome")
        #expect(heard == ["challenge ok", "welcome closed"])
    }

    @Test(arguments: [1, 2, 3, 4])
    func anotherProgramTakesOver(after step: Int) throws {
        guard Privilege.isThere() else { return }
        // The keeper turns into evil, either during the handshake or on the live connection.
        var steps = Self.greeting
        steps.insert("exec:\(evil)", at: step)
        // After the first step, the daemon may inspect the caller after the exec. Then it has seen evil alone, and
        // serves it as such.
        let heard = try household.attack([keeper, connect] + steps + ["find"] + (step > 1 ? ["ended"] : []))
        #expect(!heard.joined().contains("s3cret"), "\(heard)")
        #expect(!heard.contains { $0.hasPrefix("find 0") }, "\(heard)")
        if step == 4 { #expect(heard == ["challenge ok", "welcome 0", "find closed", "ended yes"]) }
        try expectUntouched()
    }

    @Test func execOfTheSameProgramEndsTheConnection() throws {
        guard Privilege.isThere() else { return }
        // A program that was another one in between also shows "the same file as before".
        let heard = try household.attack([keeper, connect] + Self.greeting + ["exec:\(keeper)", "find", "ended"])
        #expect(heard == ["challenge ok", "welcome 0", "find closed", "ended yes"])
        try expectUntouched()
    }

    @Test(arguments: [1, 2, 3, 4])
    func aSharedDescriptor(after step: Int) throws {
        guard Privilege.isThere() else { return }
        for program in [evil, keeper] {
            var steps = Self.greeting
            steps.insert("spawn:\(program)", at: step)
            let heard = try household.attack([keeper, connect] + steps + ["find", "ended"])
            #expect(!heard.joined().contains("s3cret"), "\(heard)")
            #expect(heard.last == "ended yes")
        }
        try expectUntouched()
    }

    @Test func anotherUser() throws {
        guard Privilege.isThere() else { return }
        let stranger = Privilege.user(2)
        // The folders keep other users out, but the daemon does not rely on them.
        let open = "\(household.home)/evil"
        chmod(household.home, 0o755)
        #expect(try household.attack([open, connect, "hello"], as: stranger) == ["connect refused \(EACCES)"])
        #expect(try household.attack([open, connect, "hello", "challenge", "ended"], as: 0).last == "ended yes")
        chmod("\(household.home)/run", 0o755)
        chmod(household.socketPath, 0o666)
        let heard = try household.attack([keeper, connect] + Self.greeting + ["find"], as: stranger)
        #expect(heard.first == "challenge closed")
        chmod("\(household.home)/run", 0o700)
        // Our user made the connection and gave it away.
        let given = try household.attack(
            [open, connect, "exec:setpriv --reuid \(stranger) --clear-groups \(keeper)"] + Self.greeting + ["find"],
            as: 0)
        #expect(given.first == "challenge closed")
        // The connection is ours at the handshake, and another user's at the request.
        let turned = try household.attack(
            [open, "user:\(household.uid)", connect] + Self.greeting + ["find", "user:\(stranger)", "find"], as: 0)
        #expect(turned.prefix(3) == ["user yes", "challenge ok", "welcome 0"])
        #expect(turned.suffix(2) == ["user yes", "find closed"] && !turned.contains("find 0 s3cret"), "\(turned)")
        try expectUntouched()
    }
}
