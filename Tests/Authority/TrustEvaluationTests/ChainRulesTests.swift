import ChatelaineModel
import Crypto
import Foundation
import SwiftASN1
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// Every chain must meet these rules, whatever its purpose (RFC 5280).
struct ChainRulesTests {
    typealias Wish = TestCertificate.Wish

    private static let good: [[TrustDefect]] = [[], [], []]

    @Test func aGoodChainIsTrusted() throws {
        let chain = try TestChain()
        let verdict = chain.verdict()
        #expect(verdict.result == .unspecified && verdict.isTrusted)
        #expect(verdict.chain.map(\.certificate) == [chain.leaf.der, chain.between.der, chain.root.der])
        #expect(verdict.chain.map(\.summary) == ["leaf.example.com", "Between", "Root"])
        #expect(verdict.key?.kind == .p256 && verdict.key?.bytes.count == 65)
    }

    @Test func keysOfAllKindsAreKnown() throws {
        let keys: [(Certificate.PrivateKey, TrustVerdict.Key.Kind)] = [
            (try .rsa(), .rsa), (Certificate.PrivateKey(P384.Signing.PrivateKey()), .p384),
            (Certificate.PrivateKey(P521.Signing.PrivateKey()), .p521),
            (Certificate.PrivateKey(Curve25519.Signing.PrivateKey()), .ed25519),
        ]
        for (key, kind) in keys {
            let chain = try TestChain(
                root: .authority("Root").with { $0.key = key }, between: .authority("Between").with { $0.key = key },
                leaf: Wish().with { $0.key = key })
            #expect(chain.verdict().key?.kind == kind)
            #expect(chain.defects() == Self.good, "\(kind)")
        }
    }

    @Test func datesAreLookedAtOfEachCertificate() throws {
        let (now, day) = (TestCertificate.now, TestCertificate.day)
        let expired = try TestChain(leaf: Wish().with { $0.until = now - day })
        #expect(expired.defects() == [[.expired], [], []])
        #expect(expired.verdict().result == .recoverableTrustFailure)
        #expect(expired.verdict().firstDefect?.defect.status.rawValue == -67818)
        let early = try TestChain(between: .authority("Between").with { $0.from = now + day })
        #expect(early.defects() == [[], [.notYetValid], []])
        let old = try TestChain(root: .authority("Root").with { $0.until = now - day })
        #expect(old.defects() == [[], [], [.expired]])
        // At another date the answer differs.
        #expect(expired.defects { $0.question.date = now - 2 * day } == Self.good)
    }

    @Test func nobodyTrustsAChainWithoutAnAnchor() throws {
        let chain = try TestChain()
        let without = chain.verdict { $0.question.anchors = [] }
        #expect(without.chain.map(\.defects) == [[], [.noIssuer]])
        #expect(without.firstDefect?.defect.status.rawValue == -25318)
        let own = chain.verdict {
            $0.question.anchors = []
            $0.question.certificates.append(chain.root.der)
        }
        #expect(own.chain.map(\.defects) == [[], [], [.notTrusted]])
        #expect(own.firstDefect?.defect.status.rawValue == -67843)
        let alone = try TestCertificate(Wish())
        let verdict = TrustEvaluator.evaluate(
            TrustCase(TrustQuestion([alone.der], policies: [TrustPolicy(.basic)]), now: TestCertificate.now))
        #expect(verdict.chain.map(\.defects) == [[.notTrusted]])
    }

    @Test func anAnchorMayBeTheCertificateItself() throws {
        let alone = try TestCertificate(Wish())
        var question = TrustQuestion([alone.der], policies: [TrustPolicy(.ssl, name: "leaf.example.com")])
        question.anchors = [alone.der]
        let verdict = TrustEvaluator.evaluate(TrustCase(question, now: TestCertificate.now))
        #expect(verdict.result == .unspecified && verdict.chain.count == 1)
    }

    @Test func rootsOfTheSystemCountUnlessOnlyOwnOnesDo() throws {
        let chain = try TestChain()
        let system = chain.defects {
            $0.roots = $0.question.anchors
            $0.question.anchors = []
            $0.question.hasOwnAnchorsOnly = false
        }
        #expect(system == Self.good)
        let own = chain.defects {
            $0.roots = $0.question.anchors
            $0.question.anchors = []
        }
        #expect(own == [[], [.noIssuer]])
    }

    @Test func issuersAreAuthorities() throws {
        let not = try TestChain(between: .authority("Between").with { $0.isAuthority = false })
        #expect(not.defects() == [[], [.notAnAuthority], []])
        #expect(not.verdict().result == .fatalTrustFailure)
        let silent = try TestChain(between: .authority("Between").with { $0.hasConstraints = false })
        #expect(silent.defects() == [[], [.notAnAuthority], []])
        let usage = try TestChain(between: .authority("Between").with { $0.usage = KeyUsage(digitalSignature: true) })
        // No exception makes it an issuer.
        #expect(usage.defects() == [[], [.notAnAuthority], []] && TrustDefect.notAnAuthority.isFatal)
        let old = try TestChain(between: .authority("Between").with { $0.version = .v1 })
        #expect(old.defects() == [[], [.notAnAuthority], []])
        // A version 1 anchor cannot say that it is an authority.
        #expect(try TestChain(root: .authority("Root").with { $0.version = .v1 }).defects() == Self.good)
    }

    @Test func pathsAreAsLongAsIssuersAllow() throws {
        #expect(try TestChain(root: .authority("Root").with { $0.pathLength = 1 }).defects() == Self.good)
        let chain = try TestChain(root: .authority("Root").with { $0.pathLength = 0 })
        #expect(chain.defects() == [[], [], [.pathTooLong]])
        #expect(try TestChain(between: .authority("Between").with { $0.pathLength = 0 }).defects() == Self.good)
    }

    @Test func criticalExtensionsHaveToBeKnown() throws {
        let unknown = Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 99999, 1], critical: true, value: [5, 0])
        #expect(
            try TestChain(leaf: Wish().with { $0.others = [unknown] }).defects()
                == [[.unknownCriticalExtension], [], []])
        #expect(
            try TestChain(between: .authority("Between").with { $0.others = [unknown] }).defects()
                == [[], [.unknownCriticalExtension], []])
        let harmless = Certificate.Extension(oid: unknown.oid, critical: false, value: [5, 0])
        #expect(try TestChain(leaf: Wish().with { $0.others = [harmless] }).defects() == Self.good)
        // A constraint that requires a certificate policy is not evaluated, so it must not be ignored.
        let demanded = Certificate.Extension(oid: [2, 5, 29, 36], critical: true, value: [0x30, 3, 0x80, 1, 0])
        #expect(
            try TestChain(between: .authority("Between").with { $0.others = [demanded] }).defects()
                == [[], [.unknownCriticalExtension], []])
        let damaged = Certificate.Extension(oid: [2, 5, 29, 30], critical: true, value: [0x30, 9])
        #expect(
            try TestChain(between: .authority("Between").with { $0.others = [damaged] }).defects()
                == [[], [.damagedExtension], []])
    }

    @Test func weakDigestsAreRefused() throws {
        let key = try Certificate.PrivateKey.rsa()
        let chain = try TestChain(
            between: .authority("Between").with { $0.key = key },
            leaf: Wish().with { $0.algorithm = .sha1WithRSAEncryption })
        #expect(chain.defects() == [[.weakDigest], [], []])
        // The signature of an anchor is not verified.
        let root = try TestChain(
            root: .authority("Root").with {
                $0.key = key
                $0.algorithm = .sha1WithRSAEncryption
            })
        #expect(root.defects() == Self.good)
    }

    /// A collision under a root can give a certificate with any name in it, including that of the root.
    @Test func aWeakDigestIsNoBetterUnderTheNameOfItsIssuer() throws {
        let key = try Certificate.PrivateKey.rsa()
        let chain = try TestChain(
            root: .authority("Root").with { $0.key = key },
            between: .authority("Root").with { $0.algorithm = .sha1WithRSAEncryption })
        #expect(chain.between.certificate.issuer == chain.between.certificate.subject)
        #expect(chain.defects() == [[], [.weakDigest], []])
        // A self-signature proves nothing, so the certificate is reported as what it is.
        let root = try TestChain(
            root: .authority("Root").with {
                $0.key = key
                $0.algorithm = .sha1WithRSAEncryption
            })
        let unknown = root.defects {
            $0.question.anchors = []
            $0.question.certificates.append(root.root.der)
        }
        #expect(unknown == [[], [], [.notTrusted]])
    }

    @Test func aWrongSignatureLeadsNowhere() throws {
        var chain = try TestChain()
        let stranger = try TestCertificate(.authority("Between"), by: chain.root)
        chain.leaf = try TestCertificate(Wish(), by: stranger)
        #expect(chain.defects() == [[.noIssuer]])
    }

    @Test func whatCannotBeReadIsSaidSo() throws {
        let nonsense = TrustEvaluator.evaluate(
            TrustCase(TrustQuestion([[1, 2, 3]], policies: [TrustPolicy(.basic)]), now: 0))
        #expect(nonsense.result == .fatalTrustFailure && nonsense.chain.map(\.defects) == [[.unreadable]])
        var chain = try TestChain()
        chain.policies = [TrustPolicy(.basic)]
        let withNonsense = chain.defects { $0.question.certificates.append([0x30, 0x80]) }
        #expect(withNonsense == Self.good)
    }
}
