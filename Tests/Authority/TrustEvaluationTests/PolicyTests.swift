import ChatelaineModel
import SwiftASN1
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// Each policy makes its demands on the judged certificate and on its issuers.
struct PolicyTests {
    typealias Wish = TestCertificate.Wish

    private static let good: [[TrustDefect]] = [[], [], []]

    private func isNamed(_ name: String, by names: [GeneralName]) throws -> Bool {
        let chain = try TestChain(leaf: Wish().with { $0.names = names })
        let defects = chain.defects(for: TrustPolicy(.ssl, name: name))
        #expect(defects == Self.good || defects == [[.wrongHostName], [], []])
        return defects == Self.good
    }

    @Test(arguments: [
        ("www.example.com", "www.example.com", true), ("WWW.Example.COM.", "www.example.com", true),
        ("www.example.com", "*.example.com", true), ("a.b.example.com", "*.example.com", false),
        ("example.com", "*.example.com", false), ("www.example.com", "w*.example.com", false),
        ("www.example.com", "*.com", false), ("example.com", "*.com", false), ("www.example.com", "*", false),
        ("xn--bcher-kva.example", "xn--bcher-kva.example", true), ("www.example.com", "www.example.org", false),
        ("www.example.com", "*.*.com", false), ("", "www.example.com", false),
        ("ban\u{212A}.example.com", "bank.example.com", false),
    ])
    func hostNamesAreCompared(name: String, pattern: String, isGood: Bool) throws {
        #expect(try isNamed(name, by: [.dnsName("other.example"), .dnsName(pattern)]) == isGood)
    }

    @Test func addressesAreComparedByTheirBytes() throws {
        let address = GeneralName.ipAddress(ASN1OctetString(contentBytes: [192, 0, 2, 1]))
        let long = GeneralName.ipAddress(
            ASN1OctetString(contentBytes: [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]))
        #expect(try isNamed("192.0.2.1", by: [address]))
        #expect(try !isNamed("192.0.2.2", by: [address]))
        #expect(try isNamed("2001:db8::1", by: [long]))
        #expect(try isNamed("[2001:db8::1]", by: [long]))
        // A name that C would not read to its end matches nothing.
        #expect(try !isNamed("192.0.2.1\0.bank.com", by: [address]))
        #expect(try !isNamed("2001:db8::1\0", by: [long]))
        // An address is not a host name, and no pattern matches it.
        #expect(try !isNamed("192.0.2.1", by: [.dnsName("192.0.2.1"), .dnsName("*.0.2.1")]))
    }

    @Test func aCommonNameIsNoHostName() throws {
        #expect(try !isNamed("leaf.example.com", by: []))
    }

    @Test func withoutANameNobodyAsks() throws {
        let chain = try TestChain(leaf: Wish().with { $0.names = [] })
        #expect(chain.defects(for: TrustPolicy(.ssl)) == Self.good)
    }

    @Test func purposesAreThoseOfThePolicy() throws {
        let policies: [(TrustPolicy, ExtendedKeyUsage.Usage)] = [
            (TrustPolicy(.ssl), .serverAuth), (TrustPolicy(.ssl, isClient: true), .clientAuth),
            (TrustPolicy(.smime), .emailProtection), (TrustPolicy(.codeSigning), .codeSigning),
            (TrustPolicy(.timeStamping), .timeStamping), (TrustPolicy(.eap), .serverAuth),
        ]
        for (policy, usage) in policies {
            let right = try TestChain(leaf: Wish().with { $0.purposes = [usage] })
            #expect(right.defects(for: policy) == Self.good, "\(policy)")
            let wrong = try TestChain(leaf: Wish().with { $0.purposes = [.ocspSigning] })
            #expect(wrong.defects(for: policy) == [[.wrongPurpose], [], []], "\(policy)")
            #expect(wrong.defects(for: TrustPolicy(.basic)) == Self.good)
        }
    }

    @Test func serversSayThatTheyAreServers() throws {
        let silent = try TestChain(leaf: Wish().with { $0.purposes = nil })
        #expect(silent.defects(for: TrustPolicy(.ssl)) == [[.wrongPurpose], [], []])
        #expect(silent.defects(for: TrustPolicy(.ssl, isClient: true)) == Self.good)
        #expect(silent.defects(for: TrustPolicy(.smime)) == Self.good)
        #expect(silent.defects(for: TrustPolicy(.codeSigning)) == [[.wrongPurpose], [], []])
        // A certificate from before July 2019 is exempt.
        var old = try TestChain(
            root: .authority("Root").with { $0.from = 0 }, between: .authority("Between").with { $0.from = 0 },
            leaf: Wish().with {
                $0.purposes = nil
                $0.from = 1_500_000_000
                $0.until = 1_900_000_000
            })
        old.date = 1_550_000_000
        #expect(old.defects(for: TrustPolicy(.ssl)) == Self.good)
    }

    @Test func issuersLimitWhatTheirCertificatesAreFor() throws {
        let chain = try TestChain(between: .authority("Between").with { $0.purposes = [.clientAuth] })
        #expect(chain.defects(for: TrustPolicy(.ssl)) == [[], [.wrongPurpose], []])
        #expect(chain.defects(for: TrustPolicy(.basic)) == Self.good)
        let any = try TestChain(between: .authority("Between").with { $0.purposes = [.any] })
        #expect(any.defects(for: TrustPolicy(.ssl)) == Self.good)
        // The purposes of an anchor are for its user to decide.
        let root = try TestChain(root: .authority("Root").with { $0.purposes = [.clientAuth] })
        #expect(root.defects(for: TrustPolicy(.ssl)) == Self.good)
    }

    @Test func aTimeStampIsForNothingElse() throws {
        let chain = try TestChain(leaf: Wish().with { $0.purposes = [.timeStamping, .codeSigning] })
        #expect(chain.defects(for: TrustPolicy(.timeStamping)) == [[.wrongPurpose], [], []])
    }

    @Test func kerberosIsForItsOwnPurposes() throws {
        let ends: [(TrustPolicy.Purpose, ASN1ObjectIdentifier)] = [
            (.pkinitClient, [1, 3, 6, 1, 5, 2, 3, 4]), (.pkinitServer, [1, 3, 6, 1, 5, 2, 3, 5]),
        ]
        for (purpose, identifier) in ends {
            let right = try TestChain(leaf: Wish().with { $0.purposes = [.init(oid: identifier)] })
            #expect(right.defects(for: TrustPolicy(purpose)) == Self.good, "\(purpose)")
            for others in [[ExtendedKeyUsage.Usage.clientAuth, .serverAuth], nil] {
                let wrong = try TestChain(leaf: Wish().with { $0.purposes = others })
                #expect(wrong.defects(for: TrustPolicy(purpose)) == [[.wrongPurpose], [], []], "\(purpose)")
            }
        }
    }

    @Test func usesThatAPolicyNamesAreNamed() throws {
        let chain = try TestChain(leaf: Wish().with { $0.usage = KeyUsage(digitalSignature: true, keyAgreement: true) })
        for (bits, isNamed) in [(1, true), (16, true), (17, true), (4, false), (21, false), (256, false)] {
            let policy = TrustPolicy(.basic, keyUsage: UInt64(bits))
            #expect(chain.defects(for: policy) == (isNamed ? Self.good : [[.wrongKeyUsage], [], []]), "\(bits)")
        }
        let silent = try TestChain(leaf: Wish().with { $0.usage = nil })
        #expect(silent.defects(for: TrustPolicy(.basic)) == Self.good)
        #expect(silent.defects(for: TrustPolicy(.basic, keyUsage: 1)) == [[.wrongKeyUsage], [], []])
    }

    @Test func keysAreUsedAsTheyMay() throws {
        let chain = try TestChain(leaf: Wish().with { $0.usage = KeyUsage(cRLSign: true) })
        #expect(chain.defects(for: TrustPolicy(.ssl)) == [[.wrongKeyUsage], [], []])
        #expect(chain.defects(for: TrustPolicy(.basic)) == Self.good)
        let encryption = try TestChain(leaf: Wish().with { $0.usage = KeyUsage(keyEncipherment: true) })
        #expect(encryption.defects(for: TrustPolicy(.ssl)) == Self.good)
    }

    @Test func mailIsForItsAddress() throws {
        func chain(_ names: [GeneralName], subject: String? = nil) throws -> TestChain {
            try TestChain(
                leaf: Wish().with {
                    $0.names = names
                    $0.purposes = [.emailProtection]
                    if let subject {
                        $0.subject = DistinguishedName([
                            RelativeDistinguishedName(.init(type: .RDNAttributeType.emailAddress, utf8String: subject))
                        ])
                    }
                })
        }
        let policy = TrustPolicy(.smime, name: "Ada@example.com")
        #expect(try chain([.rfc822Name("ada@example.com")]).defects(for: policy) == Self.good)
        #expect(
            try chain([.rfc822Name("eve@example.com")]).defects(for: policy) == [[.wrongEmailAddress], [], []])
        #expect(try chain([], subject: "ada@example.com").defects(for: policy) == Self.good)
        // The alternative names replace the subject's address.
        #expect(
            try chain([.rfc822Name("eve@example.com")], subject: "ada@example.com").defects(for: policy)
                == [[.wrongEmailAddress], [], []])
    }

    @Test func serversAreNotValidForever() throws {
        let (now, day) = (TestCertificate.now, TestCertificate.day)
        let long = try TestChain(
            leaf: Wish().with {
                $0.from = now - day
                $0.until = now + 826 * day
            })
        #expect(long.defects(for: TrustPolicy(.ssl)) == [[.validForTooLong], [], []])
        #expect(long.defects(for: TrustPolicy(.basic)) == Self.good)
        let shorter = try TestChain(
            leaf: Wish().with {
                $0.from = now - day
                $0.until = now + 500 * day
            })
        #expect(shorter.defects(for: TrustPolicy(.ssl)) == Self.good)
        // Under roots that came with the system the limit is 398 days.
        let distributed = shorter.defects {
            $0.roots = $0.question.anchors
            $0.question.anchors = []
            $0.question.hasOwnAnchorsOnly = false
        }
        #expect(distributed == [[.validForTooLong], [], []])
    }

    @Test func allPoliciesAreAsked() throws {
        let chain = try TestChain()
        let defects = chain.defects {
            $0.question.policies = [
                TrustPolicy(.basic), TrustPolicy(.ssl, name: "other.example"), TrustPolicy(.codeSigning),
            ]
        }
        #expect(defects == [[.wrongPurpose, .wrongHostName], [], []])
    }
}
