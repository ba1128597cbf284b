import ChatelaineModel
import SwiftASN1
import X509

/// Chains of three certificates with name constraints or rare extensions.
extension SecondOpinionTests {
    private typealias Name = ASN1ObjectIdentifier.RDNAttributeType

    private static func limit(_ permitted: [GeneralName], _ excluded: [GeneralName] = []) -> Wish {
        .authority("Between").with {
            $0.allowed = NameConstraints(permittedSubtrees: permitted, excludedSubtrees: excluded)
        }
    }

    private static func address(_ bytes: UInt8...) -> GeneralName {
        .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
    }

    private static func names(_ names: GeneralName...) -> Wish { Wish().with { $0.names = names } }

    private static func subject(_ organization: String) -> DistinguishedName {
        DistinguishedName(
            [(Name.countryName, "DE"), (Name.organizationName, organization)].map {
                RelativeDistinguishedName(.init(type: $0.0, utf8String: $0.1))
            })
    }

    private static let net = address(192, 0, 2, 0, 255, 255, 255, 0)
    private static let site = GeneralName.uniformResourceIdentifier("https://www.example.com/a")
    private static let ada = GeneralName.rfc822Name("ada@example.com")
    private static let acme = GeneralName.directoryName(subject("Acme"))
    private static let inside = Wish().with { ($0.names, $0.subject) = ([], subject("Acme")) }
    private static let other = GeneralName.registeredID([1, 2, 3])

    static let constraintCases: [Case] = [
        Case(testDescription: "name within", between: limit([.dnsName("example.com")])),
        Case(testDescription: "name outside", between: limit([.dnsName("example.org")])),
        Case(testDescription: "name excluded", between: limit([], [.dnsName("leaf.example.com")])),
        Case(testDescription: "name below an excluded one", between: limit([], [.dnsName("example.com")])),
        Case(testDescription: "name that ends alike", between: limit([.dnsName("ple.com")])),
        Case(testDescription: "name in other letters", between: limit([.dnsName("EXAMPLE.com")])),
        Case(
            testDescription: "name within and excluded",
            between: limit([.dnsName("example.com")], [.dnsName("leaf.example.com")])),
        Case(
            testDescription: "star over an excluded name", between: limit([], [.dnsName("secret.example.com")]),
            leaf: names(.dnsName("*.example.com")),
            difference: "openssl compares the star itself, which may stand for the excluded name"),
        Case(
            testDescription: "name outside of what the root allows",
            root: .authority("Root").with {
                $0.allowed = NameConstraints(permittedSubtrees: [.dnsName("example.org")], excludedSubtrees: [])
            }),
        Case(
            testDescription: "name of another form", between: limit([.rfc822Name("example.org")])),

        Case(testDescription: "address within", between: limit([net]), leaf: names(address(192, 0, 2, 7))).basic,
        Case(testDescription: "address outside", between: limit([net]), leaf: names(address(192, 0, 3, 7))).basic,
        Case(testDescription: "address excluded", between: limit([], [net]), leaf: names(address(192, 0, 2, 7))).basic,
        Case(
            testDescription: "address of the other version", between: limit([net]),
            leaf: names(address(0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        ).basic,

        Case(testDescription: "mail within", between: limit([.rfc822Name("example.com")]), leaf: names(ada)).basic,
        Case(testDescription: "mail of that name", between: limit([ada]), leaf: names(ada)).basic,
        Case(
            testDescription: "mail of another name", between: limit([.rfc822Name("eve@example.com")]),
            leaf: names(ada)
        ).basic,
        Case(
            testDescription: "mail below a domain", between: limit([.rfc822Name(".example.com")]),
            leaf: names(.rfc822Name("ada@mail.example.com"))
        ).basic,
        Case(
            testDescription: "mail of a domain, where hosts below are allowed",
            between: limit([.rfc822Name(".example.com")]), leaf: names(ada)
        ).basic,
        Case(testDescription: "mail excluded", between: limit([], [.rfc822Name("example.com")]), leaf: names(ada))
            .basic,
        Case(
            testDescription: "mail in other letters", between: limit([], [.rfc822Name("ADA@example.com")]),
            leaf: names(ada),
            difference: "to openssl a local part in other letters is another one, which no provider of mail has it be"
        ).basic,

        Case(
            testDescription: "page within", between: limit([.uniformResourceIdentifier(".example.com")]),
            leaf: names(site)
        ).basic,
        Case(
            testDescription: "page of that host", between: limit([.uniformResourceIdentifier("www.example.com")]),
            leaf: names(site)
        ).basic,
        Case(
            testDescription: "page of another host", between: limit([.uniformResourceIdentifier("example.com")]),
            leaf: names(site)
        ).basic,
        Case(
            testDescription: "page excluded", between: limit([], [.uniformResourceIdentifier(".example.com")]),
            leaf: names(site)
        ).basic,
        Case(
            testDescription: "no page", between: limit([.uniformResourceIdentifier(".example.com")]),
            leaf: names(.uniformResourceIdentifier("urn:x"))
        ).basic,

        Case(testDescription: "subject within", between: limit([acme]), leaf: inside).basic,
        Case(
            testDescription: "subject outside", between: limit([acme]),
            leaf: inside.with { $0.subject = subject("Other") }
        ).basic,
        Case(testDescription: "subject excluded", between: limit([], [acme]), leaf: inside).basic,
        Case(
            testDescription: "subject in other letters", between: limit([acme]),
            leaf: inside.with { $0.subject = subject(" ACME") }
        ).basic,

        Case(testDescription: "form that nobody knows", between: limit([other]), leaf: names(other)).basic,
        Case(testDescription: "excluded form that nobody knows", between: limit([], [other]), leaf: names(other)).basic,
    ]

    private static let unknown = Certificate.Extension(
        oid: [1, 3, 6, 1, 4, 1, 99999, 1], critical: true, value: [5, 0])
    private static let demanded = Certificate.Extension(
        oid: [2, 5, 29, 36], critical: true, value: [0x30, 3, 0x80, 1, 0])
    /// The certificate policy 1.2.3.4.
    private static let somePolicy = Certificate.Extension(
        oid: [2, 5, 29, 32], critical: false, value: [0x30, 7, 0x30, 5, 6, 3, 0x2A, 3, 4])
    private static let noAny = Certificate.Extension(oid: [2, 5, 29, 54], critical: true, value: [2, 1, 0])

    static let extensionCases: [Case] = [
        Case(testDescription: "unknown critical extension", leaf: Wish().with { $0.others = [unknown] }),
        Case(
            testDescription: "unknown critical extension of an issuer",
            between: .authority("Between").with { $0.others = [unknown] }),
        Case(
            testDescription: "unknown critical extension of a root",
            root: .authority("Root").with { $0.others = [unknown] }),
        Case(
            testDescription: "unknown extension",
            leaf: Wish().with {
                $0.others = [Certificate.Extension(oid: unknown.oid, critical: false, value: unknown.value)]
            }),
        Case(
            testDescription: "critical extension of names twice over",
            leaf: Wish().with {
                $0.others = [Certificate.Extension(oid: [2, 5, 29, 18], critical: true, value: [0x30, 0])]
            }),
        Case(testDescription: "policies", leaf: Wish().with { $0.others = [somePolicy] }),
        Case(
            testDescription: "policies that are demanded and lack",
            between: .authority("Between").with { $0.others = [demanded] },
            difference: "openssl looks at policies of certificates where it is told to, and not here"),
        Case(
            testDescription: "the same, where openssl is told to look",
            between: .authority("Between").with { $0.others = [demanded] },
            theirs: ["-purpose", "sslserver", "-verify_hostname", "leaf.example.com", "-policy_check"]),
        Case(
            testDescription: "policies that are demanded and there",
            between: .authority("Between").with { $0.others = [demanded, somePolicy] },
            leaf: Wish().with { $0.others = [somePolicy] },
            theirs: ["-purpose", "sslserver", "-verify_hostname", "leaf.example.com", "-policy", "1.2.3.4"],
            difference: "nobody looks at policies of certificates here, so a chain that depends on them is refused"),
        Case(
            testDescription: "no policy stands for all",
            between: .authority("Between").with { $0.others = [noAny] },
            difference: "nobody looks at policies of certificates here, so a chain that depends on them is refused"),
    ]
}
