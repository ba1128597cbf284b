import ChatelaineIPC
import Foundation
import TestSupport
import Testing

/// Tests of programs that send descriptors where none belong, or wrong ones where some belong.
@Suite struct PasscodeAttackTests {
    private static let greeting = ["hello", "challenge", "nonce", "welcome"]
    private static let things = [
        "nothing", "two", "unsealed", "pipe", "silent", "closed", "fifo", "socket", "file", "folder", "device",
    ]

    private let household: Household
    private let evil: String

    init() throws {
        household = try Household()
        try household.passcode(.set, Household.passcode)
        evil = try household.application("evil", of: "attacker")
    }

    private func attack(_ steps: [String]) throws -> [String] {
        try household.attack([evil, "connect:" + household.socketPath] + Self.greeting + steps)
    }

    @Test func aSealedFileInMemoryIsTaken() throws {
        #expect(try attack(["announce:66", "part:1:right", "report"]).suffix(2) == ["announce 0", "report 0 done 0"])
        #expect(try attack(["announce:66", "part:1:wrong", "report"]).last == "report 0 wrong 1")
        #expect(try attack(["announce:66", "part:1:empty", "report"]).last == "report -50")
        #expect(try attack(["announce:66", "part:1:long", "report"]).last == "report -50")
        // The connection goes on as usual, and accepts no further descriptors.
        let heard = try attack(["announce:66", "part:1:right", "report", "announce:64", "bring:64:right"])
        #expect(heard.suffix(2) == ["announce 0", "bring closed"])
        // The count is that of the tries alone.
        #expect(try household.client.device(.state).failures == 0)
    }

    /// The daemon reads none of these descriptors, counts no try, and serves all other callers.
    @Test func oddDescriptorsEndTheConnection() throws {
        let daemon = household.daemonPID
        let probe = try household.probe()
        #expect(try probe.add("ada", "s3cret") == 0)
        for thing in Self.things {
            let heard = try attack(["announce:66", "part:1:\(thing)", "ended"])
            #expect(heard.last == "ended yes", "\(thing): \(heard)")
            #expect(try probe.find("ada").status == 0, "\(thing)")
        }
        // The part is not the announced one, or there is one too many.
        #expect(try attack(["announce:66", "part:2:right", "ended"]).last == "ended yes")
        #expect(try attack(["announce:68", "part:2:right", "ended"]).last == "ended yes")
        #expect(try attack(["announce:68", "part:1:right", "part:1:right", "ended"]).last == "ended yes")
        #expect(try household.client.device(.state).failures == 0)
        #expect(household.daemonPID == daemon)
    }

    @Test func descriptorsOfOtherRequestsAreRefused() throws {
        let probe = try household.probe()
        #expect(try probe.add("ada", "s3cret") == 0)
        for operation in [1, 2, 16, 17, 32, 48, 64, 65, 66, 67, 70] {
            for thing in ["right", "pipe", "socket"] {
                // The kernel refuses to send the descriptor (Linux 6.16), or the connection ends.
                let heard = try attack(["bring:\(operation):\(thing)"])
                #expect(heard.last == "bring closed", "\(operation) with \(thing): \(heard)")
            }
        }
        #expect(try household.client.device(.state).state == .unlocked)
        #expect(try probe.find("ada").status == 0)
    }

    /// A program that announces a passcode and sends none is dropped.
    ///
    /// It holds up no other meanwhile, and its descriptors are closed.
    @Test func whoSendsNoneHoldsNobodyUp() throws {
        let daemon = try #require(household.daemonPID)
        let probe = try household.probe()
        #expect(try probe.add("ada", "s3cret") == 0)
        func open() -> Int { TemporaryFolder.names(in: "/proc/\(daemon)/fd").count }
        let before = open()
        let household = household
        let (evil, connect) = (evil, "connect:" + household.socketPath)
        let silent = Running(12) { number in
            let more = number % 2 == 0 ? [] : ["bytes:3"]
            let heard = try household.attack([evil, connect] + Self.greeting + ["announce:66"] + more + ["ended"])
            try #require(heard.last == "ended yes")
        }
        for _ in 0..<50 { #expect(try probe.find("ada").status == 0) }
        #expect(try household.passcode(.unlock, Household.passcode).outcome == .done)
        try silent.join(within: 60)
        for _ in 0..<40 { _ = try attack(["announce:66", "part:1:silent", "ended"]) }
        try until("no descriptors are left") { open() <= before + 4 }
    }
}
