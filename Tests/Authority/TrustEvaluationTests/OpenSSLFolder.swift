import Foundation
import SwiftASN1
import TestSupport

/// Certificates as files for the `openssl` command, which gives a second opinion and makes lists and answers.
struct OpenSSLFolder {
    private let folder: TemporaryFolder
    var path: String { folder.path }

    init() throws { folder = try TemporaryFolder() }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
    }

    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    @discardableResult
    func run(_ words: String...) throws -> CommandRun { try run(words) }

    func run(_ words: [String]) throws -> CommandRun {
        try CommandRun(["openssl"] + words.map { $0.hasPrefix("@") ? "\(path)/\($0.dropFirst())" : $0 })
    }

    /// The opinion of `openssl verify` about a certificate, at the date of these tests.
    func judgement(
        of leaf: TestCertificate, through between: [TestCertificate], to anchors: [TestCertificate],
        level: String = "0", _ words: [String] = []
    ) throws -> CommandRun {
        try judgement(of: leaf.der, through: between.map(\.der), to: anchors.map(\.der), level: level, words)
    }

    func judgement(
        of leaf: [UInt8], through between: [[UInt8]], to anchors: [[UInt8]], level: String = "0", _ words: [String] = []
    ) throws -> CommandRun {
        func text(_ all: [[UInt8]]) -> String {
            all.map { PEMDocument(type: "CERTIFICATE", derBytes: $0).pemString }.joined(separator: "\n")
        }
        try write("leaf", text([leaf]))
        try write("between", text(between))
        try write("anchors", text(anchors))
        return try run(
            [
                "verify", "-auth_level", level, "-attime", "\(TestCertificate.now)", "-no-CAfile", "-no-CApath",
                "-no-CAstore", "-CAfile", "@anchors",
            ] + (between.isEmpty ? [] : ["-untrusted", "@between"]) + words + ["@leaf"])
    }
}
