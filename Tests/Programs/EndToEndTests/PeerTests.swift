import Foundation
import Testing

/// Tests of peers that break the protocol: only their own connections suffer.
@Suite struct PeerTests {
    private static let greeting = ["hello", "challenge", "nonce", "welcome"]

    /// Runs a peer's steps while another program makes calls, all of which must succeed.
    private func besides(_ household: Household, _ body: () throws -> Void) throws {
        let probe = try household.probe("honest")
        try #require(try probe.add("honest", "s3cret") == 0)
        let running = Running(repeating: 1) { _ in
            try #require(try probe.find("honest").data == Data("s3cret".utf8))
            try #require(try probe.delete("honest") == 0)
            try #require(try probe.add("honest", "s3cret") == 0)
        }
        do { try body() } catch {
            try running.stop()
            throw error
        }
        try running.stop()
    }

    private static let misdeeds: [[String]] = [
        ["bytes:3000", "ended"],
        ["bytes:3", "ended"],
        ["length:2147483648", "bytes:100", "ended"],
        ["length:4294967295", "ended"],
        ["length:0", "ended"],
        ["length:100", "bytes:99", "ended"],
        ["hello-bare", "ended"],
        ["hello-version:1", "challenge", "ended"],
        ["hello-descriptors:2", "ended"],
        ["hello-descriptors:5", "ended"],
        ["hello-descriptors:200", "ended"],
        ["hello", "hello", "ended"],
        ["hello", "challenge", "hello", "ended"],
        ["hello", "challenge", "nonce-wrong", "ended"],
        ["hello", "challenge", "nonce-bare", "ended"],
        ["hello", "challenge", "nonce", "nonce-bare", "ended"],
        greeting + ["hello-bare", "ended"],
        greeting + ["bytes:5000", "ended"],
        greeting + ["length:2147483648", "bytes:5000", "ended"],
        greeting + ["length:17825793", "ended"],
        greeting + ["length:17825792", "bytes:70000", "ended"],
        greeting + ["length:0", "ended"],
        greeting + ["find-surplus", "ended"],
        // A connection that carries notifications accepts no more requests.
        greeting + ["subscribe", "bytes:1", "ended"],
        greeting + ["subscribe", "hello-bare", "ended"],
        ["ended"],
    ]

    @Test func whoeverMisbehavesLosesTheConnection() throws {
        let household = try Household()
        let evil = try household.application("evil", of: "attacker")
        try besides(household) {
            // All peers run at once, since each that stays silent has ten seconds.
            let connect = "connect:" + household.socketPath
            let programs = try Self.misdeeds.map {
                try Program([evil, connect] + $0, environment: household.variables)
            }
            for (program, steps) in zip(programs, Self.misdeeds) {
                let heard = try program.rest(within: 60)
                #expect(heard.last == "ended yes", "\(steps): \(heard)")
                if steps.first == "hello-version:1" { #expect(heard.first == "challenge -25291") }
            }
        }
    }

    @Test func descriptorsAfterTheHandshakeArriveNowhere() throws {
        let household = try Household()
        let evil = try household.application("evil", of: "attacker")
        try besides(household) {
            let connect = "connect:" + household.socketPath
            let heard = try household.attack([evil, connect] + Self.greeting + ["hello", "find"])
            // The kernel refuses to send the descriptors (Linux 6.16), or the daemon ends the connection because of
            // them.
            let isRefused = heard.contains("hello closed")
            #expect(heard.last == (isRefused ? "find -25300" : "find closed"), "\(heard)")
        }
    }

    @Test func manyConnectionsOfOneProgram() throws {
        let household = try Household()
        let evil = try household.application("evil", of: "attacker")
        try besides(household) {
            let connect = "connect:" + household.socketPath
            let others = Array(repeating: "also:" + household.socketPath, count: 16)
            let heard = try household.attack([evil] + others + [connect, "hello", "challenge", "ended"])
            #expect(heard.last == "ended yes")
            #expect(!heard.contains("challenge ok"))
        }
    }

    @Test func promisesOfLargeFramesTakeNoMemoryFromOthers() throws {
        let household = try Household()
        let evil = try household.application("evil", of: "attacker")
        try besides(household) {
            let connect = "connect:" + household.socketPath
            let steps = [connect] + Self.greeting + ["length:17000000", "bytes:70000", "hold"]
            let peers = try (0..<12).map { _ in
                try Program([evil] + steps, environment: household.variables)
            }
            for peer in peers {
                _ = try peer.line()
                _ = try peer.line()
            }
            let large = try household.probe("large")
            let item = ["class": "genp", "acct": "large", "v_Data": ["repeat": 16 << 20]] as [String: Any]
            #expect(try large.call("add", item).status == 0)
            for peer in peers { _ = try peer.rest() }
        }
    }
}
