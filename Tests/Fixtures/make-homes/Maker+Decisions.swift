import CallerIdentity
import ChatelaineModel
import Foundation
import StoredHomes
import TrustProtocol

/// Decisions of people about teams and programs.
extension Maker {
    /// Anchors of teams, made by `security app identity create`. Their private keys no longer exist.
    private static let anchors = [
        "ABCDE12345": Anchor(
            key: "45788b7a0fc892d4d926a02fc9ac0681fef363beb4f3d928ba5a9db7388f1f33",
            certificate: """
                MIIBwDCCAWagAwIBAgIUAhNp1lI9f4jace3A2sVUzasnbFQwCgYIKoZIzj0EAwIwPjEnMCUGA1UEAwweRGV2ZWxvcGVycyBvZiBhIGZp
                eHR1cmUgQW5jaG9yMRMwEQYDVQQLDApBQkNERTEyMzQ1MB4XDTI2MTEyMzEyMjIxMloXDTM2MTEyMDEzMjIxMlowPjEnMCUGA1UEAwwe
                RGV2ZWxvcGVycyBvZiBhIGZpeHR1cmUgQW5jaG9yMRMwEQYDVQQLDApBQkNERTEyMzQ1MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
                xRoHl9YkZ4XDU71NHxq5x1AaBwxQY5s3byoGDOjK5LcJUpdQZL3awxnZlm28AhceGbBrZJPzedRWNd8XLElgzqNCMEAwDwYDVR0TAQH/
                BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFCe0Bizyc25VLZoyNIkCeVcNgxr5MAoGCCqGSM49BAMCA0gAMEUCIB5pm1NI
                aaX6vp/rHD1Vf8+up1KucrSnGFMPzpzJ8BHTAiEAlyHFDR41T0UFFhW5+n7JoVPl0bM4noUIx8o9oarI848=
                """),
        "ZYXWV98765": Anchor(
            key: "cc52b12aa98b7806efd0ca51a2460dc4b50f51268295b58f2f97ae8aabb6c1a4",
            certificate: """
                MIIBnTCCAUSgAwIBAgIUCHMdJqdwNAcilkNWEUyqAOAL8A8wCgYIKoZIzj0EAwIwLTEWMBQGA1UEAwwNT3RoZXJzIEFuY2hvcjETMBEG
                A1UECwwKWllYV1Y5ODc2NTAeFw0yNjExMjMxMjI2MTlaFw0zNjExMjAxMzI2MTlaMC0xFjAUBgNVBAMMDU90aGVycyBBbmNob3IxEzAR
                BgNVBAsMClpZWFdWOTg3NjUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASASAuIgd3RQpQPLJbW5PnglKjK7x3EKs7TrlxTddJaUV6h
                LPLLjccgDSYxK6LsoYstkTPhhCKQGv+yI4HdhkcHo0IwQDAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQU
                DLEuWOQCzJ9NI/RSxMFuDA68JgEwCgYIKoZIzj0EAwIDRwAwRAIgGGHZ7Evmj4IacHI/D2p8yXcUUe+9luVdpdS/N+B7S7QCIG7U5zeM
                19+TxZbqrF8dxyI0u0akBbYFp7tQxPpspFLk
                """),
    ]

    private struct Anchor {
        /// SHA-256 of the public key.
        let key: String
        let certificate: String
    }

    private static func anchor(of team: String) throws -> Anchor {
        guard let anchor = anchors[team] else { throw Failed(what: team) }
        return anchor
    }

    /// A group's name as the store has it.
    func group(_ name: String, of team: String) throws -> String {
        "team:\(team):\(try Self.anchor(of: team).key):\(name)"
    }

    /// Trusts a team, with the passcode if there is one. The dates are made up, since no code here reads the
    /// certificate.
    func addTeam(_ name: String) throws {
        let known = try Self.anchor(of: name)
        guard let team = TeamIdentifier(name), let key = Bytes32(ExpectedHome.bytes(known.key)),
            let bytes = Data(base64Encoded: known.certificate, options: .ignoreUnknownCharacters)
        else { throw Failed(what: name) }
        let anchor = TeamAnchor(owner: TeamOwner(team: team, anchorKey: key), certificate: Array(bytes))
        let record = TeamRecord(
            AnchorReport(
                anchor: anchor, subject: "OU=\(name)", validFrom: 1_795_000_000,
                validUntil: 2_110_000_000))
        if let passcode = expected.passcode {
            try opened().decide(.addTeam(record), passcode)
        } else {
            try opened().programs().carryOut(.addTeam(record))
        }
        decide {
            $0.teams.append(
                ExpectedHome.Decisions.Team(
                    team: name, anchorKey: known.key, certificate: ExpectedHome.hexadecimal(Array(bytes)),
                    subject: record.subject, validFrom: record.validFrom, validUntil: record.validUntil))
        }
    }

    /// Accepts another file as the program.
    func accept(_ program: String, _ former: UInt8, _ number: UInt8) throws {
        let (path, digest) = try named(program, number)
        try opened().programs().carryOut(.accept(path, digest))
        decide {
            $0.changes.append(
                ExpectedHome.Decisions.Change(
                    path: program, former: Self.digest(former), digest: Self.digest(number)))
        }
    }

    func noteAdoption(of program: String, _ number: UInt8, to group: String) throws {
        let (path, digest) = try named(program, number)
        try opened().programs().noteAdoption(of: path, digest, to: AccessGroup(group))
        decide {
            $0.adoptions.append(
                ExpectedHome.Decisions.Adoption(path: program, digest: Self.digest(number), group: group))
        }
    }

    private func decide(_ change: (inout ExpectedHome.Decisions) -> Void) {
        expect { expected in
            var decisions = expected.decisions ?? ExpectedHome.Decisions()
            change(&decisions)
            expected.decisions = decisions
        }
    }

    private func named(_ program: String, _ number: UInt8) throws -> (CanonicalPath, ExecutableDigest) {
        guard let path = CanonicalPath(program), let digest = ExecutableDigest([UInt8](repeating: number, count: 32))
        else { throw Failed(what: program) }
        return (path, digest)
    }

    private static func digest(_ number: UInt8) -> String {
        ExpectedHome.hexadecimal([UInt8](repeating: number, count: 32))
    }
}
