import Foundation
import Glibc
import Security
import TestSupport

/// Measures an evaluation of trust beside swift-certificates' verifier.
///
/// The verifier runs in its own process, which reads the roots before the measurement.
struct EvaluatedChains {
    private static let roots = 150
    private static let bundle = "/etc/ssl/certs/ca-certificates.crt"
    private static let evaluations = 200

    /// The folder in which the floor finds the certificates.
    let home: String

    func measure(_ table: inout Table) throws {
        guard let floor = ProcessInfo.processInfo.environment["BENCH_TRUST_FLOOR"], access(floor, X_OK) == 0 else {
            return
        }
        Bench.note("evaluations of trust")
        let chain = [SampleCertificates.leaf, SampleCertificates.middle]
        let anchors = [SampleCertificates.root] + others().prefix(Self.roots - 1)
        // securityd creates the folder like this, but may not have run yet.
        try FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let files = (roots: home + "/floor-roots.pem", chain: home + "/floor-chain.pem")
        try write(anchors, to: files.roots)
        try write(chain, to: files.chain)
        let (certificates, roots) = (try chain.map(certificate), try anchors.map(certificate))
        for row in Row.allCases {
            let count = row.pause == 0 ? Self.evaluations : Self.evaluations / 4
            let bare = try median([floor, files.roots, files.chain, "\(count)", "\(row.pause)"])
            var samples = Samples()
            for number in 0..<count {
                usleep(row.pause)
                var trust: SecTrust?
                let status = SecTrustCreateWithCertificates(
                    certificates as NSArray, SecPolicyCreateBasicX509(), &trust)
                guard status == 0, let trust else { throw BenchError("no trust is made: \(status)") }
                _ = SecTrustSetAnchorCertificates(trust, roots as NSArray)
                // With another verify date the question is new, so no cached answer exists.
                if row != .again { _ = SecTrustSetVerifyDate(trust, moment(number, row)) }
                try samples.measure {
                    try BenchError.check(SecTrustEvaluateWithError(trust, nil), "the chain is not trusted")
                }
            }
            table.add(
                "SecTrust, a chain of three, \(roots.count) roots, \(row.rawValue)", samples.median, floor: bare,
                atMost: 1.3)
        }
    }

    /// The ways to ask for an evaluation; the floor is measured with the same pauses.
    private enum Row: String, CaseIterable {
        /// The same question within a minute, as successive connections ask it.
        case again
        case new = "new each time"
        case alone = "new, one at a time"

        /// The pause before each evaluation, in microseconds.
        var pause: useconds_t { self == .alone ? 30_000 : 0 }
    }

    /// The verify date of an evaluation: another second of today for each.
    private func moment(_ number: Int, _ row: Row) -> CFDate {
        CFDate(timeIntervalSinceNow: -TimeInterval(number + (row == .alone ? Self.evaluations : 0)))
    }

    /// The roots of the distribution as Base64; empty where there is no bundle.
    private func others() -> [String] {
        guard let text = try? String(contentsOfFile: Self.bundle, encoding: .utf8) else { return [] }
        return text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap {
            $0.components(separatedBy: "-----END").first.map { $0.filter { !$0.isWhitespace } }
        }
    }

    private func certificate(_ text: String) throws -> SecCertificate {
        guard let der = Data(base64Encoded: text), let made = SecCertificateCreateWithData(nil, NSData(data: der))
        else {
            throw BenchError("a certificate is not read")
        }
        return made
    }

    private func write(_ certificates: [String], to path: String) throws {
        let blocks = certificates.map { text in
            let data = Data(base64Encoded: text) ?? Data()
            let lines = data.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
        }
        try Data(blocks.joined().utf8).write(to: URL(fileURLWithPath: path))
    }

    /// Runs the floor and returns the microseconds that it prints.
    private func median(_ command: [String]) throws -> Double {
        let floor = Process()
        floor.executableURL = URL(fileURLWithPath: command[0])
        floor.arguments = Array(command.dropFirst())
        let output = Pipe()
        floor.standardOutput = output
        try floor.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        floor.waitUntilExit()
        guard floor.terminationStatus == 0, let number = Double(text.filter { !$0.isWhitespace }) else {
            throw BenchError("\(command[0]) measures nothing")
        }
        return number
    }
}
