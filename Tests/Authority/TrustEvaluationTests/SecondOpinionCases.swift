import ChatelaineModel
import Crypto
import SwiftASN1
import X509

/// Chains of three certificates, by their defects.
extension SecondOpinionTests {
    static let key = try? Certificate.PrivateKey.rsa()
    private static let (now, day) = (TestCertificate.now, TestCertificate.day)

    private static let sha1 = Wish().with { $0.algorithm = .sha1WithRSAEncryption }
    private static let rsaBetween = Wish.authority("Between").with { if let key { $0.key = key } }

    /// The cases for dates, authorities, lengths, keys, digests, purposes and names.
    static let cases: [Case] = [
        Case(testDescription: "good"),
        Case(testDescription: "good, for nothing in particular").basic,

        Case(testDescription: "expired", leaf: Wish().with { $0.until = now - day }),
        Case(testDescription: "not yet valid", leaf: Wish().with { $0.from = now + day }),
        Case(testDescription: "valid from now on", leaf: Wish().with { $0.from = now }),
        Case(
            testDescription: "valid until now", leaf: Wish().with { $0.until = now },
            difference: "openssl ends a certificate a second before RFC 5280, 4.1.2.5, which has the last second in it"),
        Case(testDescription: "expired issuer", between: .authority("Between").with { $0.until = now - day }),
        Case(testDescription: "issuer not yet valid", between: .authority("Between").with { $0.from = now + day }),
        Case(testDescription: "expired root", root: .authority("Root").with { $0.until = now - day }),
        Case(testDescription: "root not yet valid", root: .authority("Root").with { $0.from = now + day }),

        Case(testDescription: "issuer that is none", between: .authority("Between").with { $0.isAuthority = false }),
        Case(
            testDescription: "issuer that may not sign",
            between: .authority("Between").with { $0.usage = KeyUsage(cRLSign: true) }),
        Case(testDescription: "issuer without a usage", between: .authority("Between").with { $0.usage = nil }),
        Case(
            testDescription: "issuer that says nothing",
            between: .authority("Between").with { ($0.hasConstraints, $0.usage) = (false, nil) }),
        Case(
            testDescription: "issuer that says what its key is for alone",
            between: .authority("Between").with { $0.hasConstraints = false }),
        Case(testDescription: "issuer of the first version", between: .authority("Between").with { $0.version = .v1 }),
        Case(testDescription: "root of the first version", root: .authority("Root").with { $0.version = .v1 }),
        Case(
            testDescription: "root that is none", root: .authority("Root").with { $0.isAuthority = false }),
        Case(
            testDescription: "root that may not sign",
            root: .authority("Root").with { $0.usage = KeyUsage(cRLSign: true) }),
        Case(
            testDescription: "an authority as a server",
            leaf: Wish().with {
                ($0.isAuthority, $0.usage) = (true, KeyUsage(digitalSignature: true, keyCertSign: true))
            }),

        Case(testDescription: "path too long", root: .authority("Root").with { $0.pathLength = 0 }),
        Case(testDescription: "path long enough", root: .authority("Root").with { $0.pathLength = 1 }),
        Case(testDescription: "path that ends", between: .authority("Between").with { $0.pathLength = 0 }),

        Case(
            testDescription: "SHA-1", between: rsaBetween, leaf: sha1,
            difference: "at its lowest level openssl accepts SHA-1"),
        Case(testDescription: "SHA-1, at the level of browsers", between: rsaBetween, leaf: sha1, level: "2"),
        Case(
            testDescription: "SHA-1 of an issuer",
            root: .authority("Root").with { if let key { $0.key = key } },
            between: .authority("Between").with { $0.algorithm = .sha1WithRSAEncryption }, level: "2"),
        Case(
            testDescription: "SHA-1 of a root",
            root: .authority("Root").with {
                if let key { $0.key = key }
                $0.algorithm = .sha1WithRSAEncryption
            }, level: "2"),
        Case(testDescription: "RSA with SHA-256", between: rsaBetween, level: "2"),
        Case(
            testDescription: "Ed25519",
            between: .authority("Between").with { $0.key = Certificate.PrivateKey(Curve25519.Signing.PrivateKey()) },
            level: "2"),
        Case(
            testDescription: "P-384 and P-521",
            root: .authority("Root").with { $0.key = Certificate.PrivateKey(P521.Signing.PrivateKey()) },
            between: .authority("Between").with { $0.key = Certificate.PrivateKey(P384.Signing.PrivateKey()) },
            level: "2"),

        Case(testDescription: "for clients only", leaf: Wish().with { $0.purposes = [.clientAuth] }),
        Case(
            testDescription: "for any purpose", leaf: Wish().with { $0.purposes = [.any] },
            difference: "openssl looks for the purpose itself, and takes no word for all of them"),
        Case(
            testDescription: "issuer for clients only",
            between: .authority("Between").with { $0.purposes = [.clientAuth] }),
        Case(
            testDescription: "issuer for servers", between: .authority("Between").with { $0.purposes = [.serverAuth] }),
        Case(
            testDescription: "issuer for any purpose", between: .authority("Between").with { $0.purposes = [.any] },
            difference: "openssl looks for the purpose itself, and takes no word for all of them"),
        Case(
            testDescription: "issuer for mail, asked for nothing in particular",
            between: .authority("Between").with { $0.purposes = [.emailProtection] }
        ).basic,
        Case(
            testDescription: "key for lists alone", leaf: Wish().with { $0.usage = KeyUsage(cRLSign: true) }),
        Case(
            testDescription: "no purpose", leaf: Wish().with { $0.purposes = nil },
            difference: "servers have to say that they are servers since July 2019"),
        Case(
            testDescription: "valid for long", leaf: Wish().with { $0.until = now + 900 * day },
            difference: "825 days are the most for a server"),

        Case(testDescription: "other host").host("other.example.com"),
        Case(testDescription: "host in other letters").host("LEAF.Example.com"),
        Case(testDescription: "star", leaf: Wish().with { $0.names = [.dnsName("*.example.com")] }),
        Case(
            testDescription: "star for two labels", leaf: Wish().with { $0.names = [.dnsName("*.com")] }),
        Case(
            testDescription: "star below a star", leaf: Wish().with { $0.names = [.dnsName("*.example.com")] }
        ).host("a.leaf.example.com"),
        Case(
            testDescription: "star in the middle", leaf: Wish().with { $0.names = [.dnsName("leaf.*.com")] }),
        Case(
            testDescription: "part of a label as a star", leaf: Wish().with { $0.names = [.dnsName("l*.example.com")] },
            difference: "a star is all of a label"),
        Case(
            testDescription: "common name alone", leaf: Wish().with { $0.names = [] },
            difference: "openssl takes a common name for a host name"),
        Case(testDescription: "mail", leaf: mail("ada@example.com")).mail("ada@example.com"),
        Case(testDescription: "mail of somebody else", leaf: mail("eve@example.com")).mail("ada@example.com"),
        Case(testDescription: "mail at a host in other letters", leaf: mail("ada@Example.COM")).mail("ada@example.com"),
        Case(testDescription: "a server's for mail").mail("ada@example.com"),
    ]

    private static func mail(_ address: String) -> Wish {
        Wish().with { ($0.names, $0.purposes) = ([.rfc822Name(address)], [.emailProtection]) }
    }
}
