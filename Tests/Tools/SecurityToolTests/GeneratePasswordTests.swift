import ChatelaineMemory
import ChatelaineModel
import Foundation
import PasswordQuality
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of `security generate-password`.
struct GeneratePasswordTests {
    @Test func itWritesThePasswordAndNothingElse() {
        let form: [(String, Int, Regex<Substring>)] = [
            ("memorable", 26, /[a-z-]+[0-9]/), ("letters-and-digits", 20, /[A-Za-z0-9]+/), ("digits", 16, /[0-9]+/),
            ("random", 20, /[!-~]+/),
        ]
        for (kind, length, characters) in form {
            let run = ToolRun(["generate-password", "--kind", kind])
            #expect(run.exitStatus == 0 && run.text.utf8.count == length)
            #expect(run.text.wholeMatch(of: characters) != nil)
            // Random digits sometimes look like dates, which are guessed sooner.
            let strengths: Regex<(Substring, Substring)> =
                kind == "digits"
                ? /strength: [0-9]+ bits, (weak|fair|strong|very strong)\n/
                : /strength: [0-9]+ bits, (fair|strong|very strong)\n/
            #expect(run.errors.wholeMatch(of: strengths) != nil, "\(kind): \(run.errors)")
            #expect(!run.errors.contains(run.text))
            #expect(ToolRun(["generate-password", "--kind", kind], isTerminal: true).text.utf8.count == length + 1)
        }
        #expect(ToolRun(["generate-password"]).text != ToolRun(["generate-password"]).text)
        #expect(
            ToolRun(["generate-password", "--kind", "digits", "--length", "4"]).errors.hasSuffix(" bits, very weak\n"))
    }

    @Test(arguments: [false, true])
    func severalAreOneALine(isTerminal: Bool) {
        let run = ToolRun(["generate-password", "--count", "7", "--length", "9"], isTerminal: isTerminal)
        let lines = run.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 8 && lines.dropLast().allSatisfy { $0.utf8.count == 9 } && lines[7].isEmpty)
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test func jsonHasTheStrengthBeside() throws {
        struct Made: Decodable { let password: String, bits: Int, strength: String }
        let one = ToolRun(["generate-password", "--json", "--kind", "digits", "--length", "6"])
        let made = try JSONDecoder().decode(Made.self, from: Data(one.output))
        // An attacker who knows the pattern needs no more tries than it has passwords.
        #expect(made.password.count == 6 && made.bits < 20 && made.strength == "very-weak" && one.errors.isEmpty)
        let list = ToolRun(["generate-password", "--json", "--count", "3"])
        #expect(try JSONDecoder().decode([Made].self, from: Data(list.output)).count == 3)
    }

    @Test func wordsStay() {
        #expect(
            PasswordStrength.Step.allCases.map(\.rawValue) == ["very-weak", "weak", "fair", "strong", "very-strong"])
        #expect(
            PasswordKind.allCases.map(\.rawValue)
                == ["memorable", "letters-and-digits", "digits", "random"])
    }

    @Test func whatCannotBeIsWrongUsage() {
        for words in [
            ["--kind", "words"], ["--length", "7"], ["--length", "32"], ["--length", "x"], ["--count", "0"],
            ["--count", "101"], ["--kind", "digits", "--length", "3"], ["more"],
        ] {
            let run = ToolRun(["generate-password"] + words)
            #expect(run.exitStatus == 2 && run.text.isEmpty && run.errors.contains("Usage: security generate-password"))
        }
    }
}

/// Tests of the estimate of how hard a password is to guess.
struct PasswordStrengthTests {
    private static func strength(_ text: String) -> PasswordStrength {
        PasswordStrength(estimating: SecretBytes(Array(text.utf8)))
    }

    @Test func whatPeopleTakeIsWeak() {
        for text in ["", "1234", "password", "qwertyuiop", "12.05.1987", "Passw0rd1", "abcabcabcabc"] {
            #expect(Self.strength(text).bits < PasswordStrength.sensibleBits, "\(text)")
        }
        // The words are part of the library, not of a file that could be removed.
        #expect(Self.strength("password").bits == 0 && Self.strength("wgtkhnqv").bits > 30)
    }

    @Test func moreIsStronger() {
        let rising = ["1234", "793518", "kqzvbnwp", "Kq7!bn2pX", "correct horse battery staple", "xk7 Qm!pz 4vRt9"]
        let bits = rising.map { Self.strength($0).bits }
        #expect(bits == bits.sorted() && Set(bits).count == bits.count)
        var generator = SeededGenerator(seed: 3)
        let long = (0..<40).map { _ in UInt8.random(in: 33...126, using: &generator) }
        let prefixes = (1...40).map { PasswordStrength(estimating: SecretBytes(long.prefix($0))).bits }
        #expect(zip(prefixes, prefixes.dropFirst(4)).allSatisfy { $0 < $1 })
    }

    @Test func stepsAreByBits() {
        let steps = [0, 19.9, 20, 39.9, 40, 59.9, 60, 79.9, 80, 500].map { PasswordStrength(bits: $0).step }
        #expect(
            steps == [
                .veryWeak, .veryWeak, .weak, .weak, .fair, .fair, .strong, .strong, .veryStrong, .veryStrong,
            ])
        #expect(PasswordStrength(bits: .nan).bits == 0 && PasswordStrength(bits: -1).bits == 0)
        #expect(PasswordStrength(estimating: SecretBytes(Array("xk7 Qm!pz 4vRt9".utf8)), atMost: 12.5).bits == 12)
    }

    /// A passcode may be any bytes.
    ///
    /// Bytes beyond the bound take no time and do not change the estimate.
    @Test func anyBytesAreEstimated() {
        #expect(PasswordStrength(estimating: SecretBytes([0, 0, 0])).bits >= 1)
        #expect(PasswordStrength(estimating: SecretBytes([120, 0, 107, 55, 0xFF, 0xC3, 81, 33])).bits > 20)
        let long = SecretBytes([UInt8](repeating: 49, count: 16 * 1024 * 1024))
        #expect(PasswordStrength(estimating: long).bits == Self.strength(String(repeating: "1", count: 100)).bits)
    }
}
