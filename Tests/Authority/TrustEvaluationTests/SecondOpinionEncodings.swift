import ChatelaineModel
import SwiftASN1
import X509

/// Extensions and their encodings, in which openssl is more or less strict.
extension SecondOpinionTests {
    private static func ext(_ last: UInt, _ value: [UInt8], critical: Bool = true) -> Certificate.Extension {
        Certificate.Extension(oid: [2, 5, 29, last], critical: critical, value: value[...])
    }

    private static func issuer(_ others: Certificate.Extension...) -> Wish {
        .authority("Between").with { $0.others = others }
    }

    private static func leaf(_ others: Certificate.Extension...) -> Wish { Wish().with { $0.others = others } }

    /// The purpose of server-gated cryptography, in Netscape's numbering.
    private static let gated: [ExtendedKeyUsage.Usage] = [.init(oid: [2, 16, 840, 1, 113730, 4, 1])]

    private static let access = try? TestSources.access(["http://responder.example.com"])
    private static let lists = try? TestSources.lists(["http://lists.example.com/1.crl"])

    private static func critical(_ other: Certificate.Extension?) -> Certificate.Extension {
        Certificate.Extension(oid: other?.oid ?? [1], critical: true, value: other?.value ?? [])
    }

    static let encodingCases: [Case] = [
        Case(
            testDescription: "zeros after the uses of a key",
            between: issuer(ext(15, [3, 3, 7, 6, 0])).with { $0.usage = nil }),
        Case(
            testDescription: "too few unused bits of the uses of a key",
            leaf: leaf(ext(15, [3, 2, 0, 0x80])).with { $0.usage = nil }),
        Case(
            testDescription: "unused bits that are set",
            leaf: leaf(ext(15, [3, 2, 5, 0xA1])).with { $0.usage = nil },
            difference: "the parser of certificates here keeps to DER"),
        Case(
            testDescription: "no authority in so many words",
            leaf: leaf(ext(19, [0x30, 3, 1, 1, 0])).with { $0.hasConstraints = false }),
        Case(
            testDescription: "a length and no authority",
            leaf: leaf(ext(19, [0x30, 3, 2, 1, 0])).with { $0.hasConstraints = false }),
        Case(
            testDescription: "a distance of 0 in so many words",
            between: issuer(ext(30, [0x30, 12, 0xA0, 10, 0x30, 8, 0x82, 3] + Array("com".utf8) + [0x80, 1, 0]))),
        Case(
            testDescription: "address beyond ASCII",
            leaf: leaf(ext(17, [0x30, 23, 0x81, 3, 0xC3, 0xA9, 0x40, 0x82, 16] + Array("leaf.example.com".utf8)))
                .with { $0.names = [] }),

        Case(testDescription: "critical places of lists", between: issuer(critical(lists))),
        Case(
            testDescription: "critical addresses of responders", between: issuer(critical(access)),
            difference: "openssl does not know that extension where it is critical"),
        Case(
            testDescription: "critical identifier of a key", between: issuer(ext(14, [4, 2, 1, 2])),
            difference: "openssl does not know that extension where it is critical"),
        Case(
            testDescription: "another key's identifier",
            between: issuer(ext(14, [4, 2, 1, 2], critical: false)),
            leaf: leaf(ext(35, [0x30, 4, 0x80, 2, 3, 4], critical: false)),
            difference: "an identifier helps to find an issuer here, and the signature says who it is"),
        Case(
            testDescription: "unreadable identifier of a key", leaf: leaf(ext(14, [5, 0], critical: false)),
            difference: "nothing here depends on that identifier"),
        Case(
            testDescription: "unreadable places of lists", leaf: leaf(ext(31, [5, 0], critical: false)),
            difference: "nobody looks at them here if revocation is not asked about"),
        Case(
            testDescription: "critical mapping of policies",
            between: issuer(ext(33, [0x30, 10, 0x30, 8, 6, 2, 0x2A, 3, 6, 2, 0x2A, 4])),
            difference: "nobody looks at policies of certificates here, so a chain that depends on them is refused"),
        Case(
            testDescription: "critical type of Netscape's",
            between: issuer(
                Certificate.Extension(oid: [2, 16, 840, 1, 113730, 1, 1], critical: true, value: [3, 2, 0, 7])),
            difference: "nobody looks at that extension here"),

        Case(
            testDescription: "root for mail", root: .authority("Root").with { $0.purposes = [.emailProtection] },
            difference: "an anchor is trusted for what is asked here"),
        Case(
            testDescription: "issuer for gated servers", between: .authority("Between").with { $0.purposes = gated },
            difference: "openssl takes that purpose for the one of servers"),
        Case(testDescription: "dot after a host").host("leaf.example.com.")
            .differing("openssl compares names as they are written"),
        Case(
            testDescription: "dot after a name", leaf: Wish().with { $0.names = [.dnsName("leaf.example.com.")] },
            difference: "openssl compares names as they are written"),
    ]
}

extension SecondOpinionTests.Case {
    fileprivate func differing(_ reason: String) -> Self {
        var other = self
        other.difference = reason
        return other
    }
}
