import Foundation
import TestSupport
import Testing

/// Tests of keys that ask for their owner, with the real daemons, agent and pinentry.
@Suite struct KeyPresenceTests {
    @Test func thePersonIsAskedForEachSignature() throws {
        let asking = try AskingHousehold("/usr/bin/pinentry-tty")
        let program = try asking.household.application("keeper")
        let guarded: [String: Any] = ["accessControl": "ak", "flags": 1 | 1 << 30]
        let parameters: [String: Any] = [
            "type": "73", "bsiz": 256, "private": ["perm": true, "atag": PasswordTests.data("asks"), "accc": guarded],
        ]
        let sign: [String: Any] = [
            "call": "sign", "algorithm": "algid:sign:ECDSA:message-X962:SHA256",
            "query": ["key": ["reference": 0], "data": PasswordTests.data("pay")],
        ]
        let answers = try asking.answers(
            of: program, to: [["call": "makeKey", "query": parameters], sign, sign]
        ) {
            for _ in 0..<2 {
                try asking.terminal.expect("use a key")
                try asking.type(Household.passcode)
            }
        }
        #expect(answers.map(\.status) == [0, 0, 0])
        #expect(answers[1].data != nil && answers[1].data != answers[2].data)
        // An authentication in the query's context counts for the key that the query finds.
        let find: [String: Any] = [
            "call": "find",
            "query": ["class": "keys", "atag": PasswordTests.data("asks"), "r_Ref": true, "u_AuthCtx": ["context": 0]],
        ]
        let within = try asking.answers(of: program, to: [["call": "context"], find, sign, sign]) {
            try asking.terminal.expect("use a key")
            try asking.type(Household.passcode)
        }
        #expect(within.map(\.status) == [0, 0, 0, 0])
    }

    /// Programs tell a person who cancels from other failures, as on Apple's platforms.
    @Test func aFailedAuthenticationIsToldInItsDomain() throws {
        let asking = try AskingHousehold("/usr/bin/pinentry-tty")
        let program = try asking.household.application("keeper")
        let guarded: [String: Any] = ["accessControl": "ak", "flags": 1 | 1 << 30]
        func make(_ more: [String: Any]) -> [String: Any] {
            let parameters: [String: Any] = [
                "type": "73", "bsiz": 256, "private": ["accc": guarded].merging(more) { $1 },
            ]
            return ["call": "makeKey", "query": parameters]
        }
        func sign(_ key: Int) -> [String: Any] {
            [
                "call": "sign", "algorithm": KeyItemTests.ecdsa,
                "query": ["key": ["reference": key], "data": PasswordTests.data("pay")] as [String: Any],
            ]
        }
        let find: [String: Any] = [
            "call": "find",
            "query": [
                "class": "keys", "atag": PasswordTests.data("asks"), "r_Ref": true, "u_AuthCtx": ["context": 0],
            ] as [String: Any],
        ]
        let commands = [
            make(["perm": true, "atag": PasswordTests.data("asks")]), sign(0),
            ["call": "context"], ["call": "set", "context": 0, "silent": true], find, sign(1), sign(0),
        ]
        let answers = try asking.answers(of: program, to: commands) {
            try asking.terminal.expect("use a key")
            try asking.terminal.expect("Passcode:")
            _ = asking.terminal.settle()
            // Without a passcode the line ends the dialog.
            try asking.terminal.type("\r")
            for _ in 0..<3 { try asking.type("wrong") }
        }
        #expect(answers.map(\.status) == [0, -2, 0, 0, 0, -1004, -1])
        #expect(answers.compactMap(\.domain) == Array(repeating: "com.apple.LocalAuthentication", count: 3))
    }
}
