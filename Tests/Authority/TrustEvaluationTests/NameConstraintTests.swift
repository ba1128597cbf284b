import ChatelaineModel
import SwiftASN1
import Testing
import X509

@testable import TrustEvaluation

/// An issuer limits the names of the certificates below it (RFC 5280, 4.2.1.10).
struct NameConstraintTests {
    typealias Wish = TestCertificate.Wish

    private func isAllowed(
        _ names: [GeneralName], permitted: [GeneralName] = [], excluded: [GeneralName] = [],
        subject: DistinguishedName? = nil
    ) throws -> Bool {
        let constraints = NameConstraints(permittedSubtrees: permitted, excludedSubtrees: excluded)
        let chain = try TestChain(
            between: .authority("Between").with { $0.allowed = constraints },
            leaf: Wish().with {
                $0.names = names
                $0.subject = subject
            })
        let defects = chain.defects(for: TrustPolicy(.basic))
        #expect(defects == [[], [], []] || defects == [[.nameNotAllowed], [], []])
        return defects == [[], [], []]
    }

    private func address(_ bytes: UInt8...) -> GeneralName { .ipAddress(ASN1OctetString(contentBytes: bytes[...])) }

    private func name(_ parts: [(ASN1ObjectIdentifier, String)]) -> DistinguishedName {
        DistinguishedName(parts.map { RelativeDistinguishedName(.init(type: $0.0, utf8String: $0.1)) })
    }

    @Test func hostNames() throws {
        let domain = GeneralName.dnsName("example.com")
        #expect(try isAllowed([.dnsName("example.com"), .dnsName("a.b.Example.com")], permitted: [domain]))
        #expect(try !isAllowed([.dnsName("badexample.com")], permitted: [domain]))
        #expect(try !isAllowed([.dnsName("a.example.com"), .dnsName("a.example.org")], permitted: [domain]))
        #expect(try isAllowed([.dnsName("a.example.org")], permitted: [domain, .dnsName("example.org")]))
        #expect(try !isAllowed([.dnsName("a.example.com")], excluded: [domain]))
        #expect(try isAllowed([.dnsName("a.example.org")], excluded: [domain]))
        #expect(
            try !isAllowed(
                [.dnsName("secret.example.com")], permitted: [domain], excluded: [.dnsName("secret.example.com")]))
        // A wildcard may stand for an excluded name.
        #expect(try !isAllowed([.dnsName("*.example.com")], excluded: [.dnsName("secret.example.com")]))
        // Names of another form are not limited.
        #expect(try isAllowed([address(192, 0, 2, 1)], permitted: [domain]))
    }

    @Test func addresses() throws {
        let net = address(192, 0, 2, 0, 255, 255, 255, 0)
        #expect(try isAllowed([address(192, 0, 2, 77)], permitted: [net]))
        #expect(try !isAllowed([address(192, 0, 3, 77)], permitted: [net]))
        #expect(try !isAllowed([address(192, 0, 2, 77)], excluded: [net]))
        #expect(try !isAllowed([address(192, 0, 2)], permitted: [net]))
    }

    @Test func emailAddresses() throws {
        let ada = GeneralName.rfc822Name("ada@example.com")
        #expect(try isAllowed([ada], permitted: [.rfc822Name("example.com")]))
        #expect(try isAllowed([ada], permitted: [.rfc822Name("ada@example.com")]))
        #expect(try !isAllowed([ada], permitted: [.rfc822Name("eve@example.com")]))
        #expect(try !isAllowed([ada], permitted: [.rfc822Name(".example.com")]))
        #expect(try isAllowed([.rfc822Name("ada@mail.example.com")], permitted: [.rfc822Name(".example.com")]))
        #expect(try !isAllowed([ada], excluded: [.rfc822Name("example.com")]))
        // A local part in other case may be the same one or another one.
        #expect(try !isAllowed([ada], excluded: [.rfc822Name("ADA@example.com")]))
        #expect(try !isAllowed([ada], permitted: [.rfc822Name("ADA@example.com")]))
        #expect(try isAllowed([ada], excluded: [.rfc822Name("eve@example.com")]))
        // The subject's address counts where there is no other.
        let subject = name([(.RDNAttributeType.emailAddress, "eve@example.org")])
        #expect(try !isAllowed([], permitted: [.rfc822Name("example.com")], subject: subject))
        #expect(try isAllowed([ada], permitted: [.rfc822Name("example.com")], subject: subject))
    }

    /// Nothing says what these constraints mean. As an exclusion they exclude, and as a permission they permit nothing.
    @Test func oddConstraintsFailClosed() throws {
        let ada = GeneralName.rfc822Name("ada@example.com")
        // Without a name before it, the host counts, as openssl has it.
        #expect(try !isAllowed([ada], excluded: [.rfc822Name("@example.com")]))
        #expect(try isAllowed([ada], permitted: [.rfc822Name("@example.com")]))
        #expect(try isAllowed([ada], excluded: [.rfc822Name("@example.org")]))
        for star in ["*@example.com", "*.example.com", "a*.example.com"] {
            #expect(try !isAllowed([ada], excluded: [.rfc822Name(star)]), "\(star)")
            #expect(try !isAllowed([ada], permitted: [.rfc822Name(star)]), "\(star)")
        }
        #expect(try isAllowed([ada], excluded: [.rfc822Name("*@example.org"), .rfc822Name("*.example.org")]))
        let host = GeneralName.dnsName("www.example.com")
        for star in ["*.example.com", "w*.example.com"] {
            #expect(try !isAllowed([host], excluded: [.dnsName(star)]), "\(star)")
            #expect(try !isAllowed([host], permitted: [.dnsName(star)]), "\(star)")
        }
        #expect(try isAllowed([host], excluded: [.dnsName("*.example.org")]))
        let page = GeneralName.uniformResourceIdentifier("https://www.example.com/")
        #expect(try !isAllowed([page], excluded: [.uniformResourceIdentifier("*.example.com")]))
        #expect(try isAllowed([page], excluded: [.uniformResourceIdentifier("*.example.org")]))
    }

    @Test func addressesOfTheWeb() throws {
        let page = GeneralName.uniformResourceIdentifier("https://user@www.Example.com:8443/a?b")
        #expect(try isAllowed([page], permitted: [.uniformResourceIdentifier(".example.com")]))
        #expect(try isAllowed([page], permitted: [.uniformResourceIdentifier("www.example.com")]))
        #expect(try !isAllowed([page], permitted: [.uniformResourceIdentifier("example.com")]))
        #expect(try !isAllowed([page], excluded: [.uniformResourceIdentifier(".example.com")]))
        // A URI without a host cannot be placed inside or outside a domain.
        #expect(
            try !isAllowed(
                [.uniformResourceIdentifier("urn:x")], permitted: [.uniformResourceIdentifier(".example.com")]))
        #expect(
            try !isAllowed(
                [.uniformResourceIdentifier("urn:x")], excluded: [.uniformResourceIdentifier(".example.com")]))
    }

    @Test func distinguishedNames() throws {
        let (country, organization) = (
            ASN1ObjectIdentifier.RDNAttributeType.countryName, ASN1ObjectIdentifier.RDNAttributeType.organizationName
        )
        let acme = GeneralName.directoryName(name([(country, "DE"), (organization, "Acme")]))
        let inside = name([(country, "de"), (organization, " ACME "), (.RDNAttributeType.commonName, "Ada")])
        let outside = name([(country, "DE"), (organization, "Other"), (.RDNAttributeType.commonName, "Ada")])
        #expect(try isAllowed([], permitted: [acme], subject: inside))
        #expect(try !isAllowed([], permitted: [acme], subject: outside))
        #expect(try !isAllowed([], excluded: [acme], subject: inside))
        #expect(try isAllowed([], excluded: [acme], subject: outside))
    }

    /// A blank of another kind, or a character that nobody sees, makes no other name (RFC 4518, 2.2).
    @Test(arguments: ["evil\tcorp", "Evil\u{A0}Corp", "E\u{AD}vil \u{2003} Corp", "\u{200B}Evil Corp\n"])
    func whatNobodySeesIsNoOtherName(_ spelling: String) throws {
        let organization = ASN1ObjectIdentifier.RDNAttributeType.organizationName
        func named(_ text: String) throws -> DistinguishedName {
            DistinguishedName([
                RelativeDistinguishedName(.init(type: organization, value: .init(utf8String: text)))
            ])
        }
        let evil = GeneralName.directoryName(try named("Evil Corp"))
        #expect(try !isAllowed([], excluded: [evil], subject: try named(spelling)))
        #expect(try isAllowed([], permitted: [evil], subject: try named(spelling)))
        #expect(try isAllowed([], excluded: [evil], subject: try named("Evil-Corp")))
    }

    /// Text in an encoding that is not decoded could be any text.
    @Test func anotherEncodingIsNoOtherName() throws {
        let organization = ASN1ObjectIdentifier.RDNAttributeType.organizationName
        func encoded(_ type: ASN1ObjectIdentifier, _ bytes: [UInt8]) throws -> DistinguishedName {
            // TeletexString.
            let value = try ASN1Any(derEncoded: [0x14, UInt8(bytes.count)] + bytes)
            return DistinguishedName([RelativeDistinguishedName(.init(type: type, value: .init(asn1Any: value)))])
        }
        let evil = GeneralName.directoryName(name([(organization, "Evil")]))
        let teletex = try encoded(organization, Array("Evil".utf8))
        #expect(try !isAllowed([], excluded: [evil], subject: teletex))
        #expect(try !isAllowed([], permitted: [evil], subject: teletex))
        // Such text equals itself byte for byte, and no attribute of another type.
        #expect(try isAllowed([], permitted: [.directoryName(teletex)], subject: teletex))
        #expect(try !isAllowed([], excluded: [.directoryName(teletex)], subject: teletex))
        #expect(
            try isAllowed([], excluded: [evil], subject: try encoded(.RDNAttributeType.commonName, Array("Evil".utf8))))
    }

    @Test func formsThatNobodyKnowsAreNotPassedOver() throws {
        let other = GeneralName.registeredID([1, 2, 3])
        #expect(try !isAllowed([other], permitted: [other]))
        #expect(try !isAllowed([other], excluded: [other]))
        #expect(try isAllowed([.dnsName("a.example")], permitted: [other], excluded: [other]))
    }

    @Test func anIssuerIsLimitedByTheOneAboveIt() throws {
        let limited = NameConstraints(permittedSubtrees: [.dnsName("example.com")], excludedSubtrees: [])
        let root = try TestChain(
            root: .authority("Root").with { $0.allowed = limited },
            leaf: Wish().with { $0.names = [.dnsName("a.example.org")] })
        #expect(root.defects(for: TrustPolicy(.basic)) == [[.nameNotAllowed], [], []])
    }

    @Test func thousandsUnderThousandsEnd() throws {
        let domains = (0..<1500).map { GeneralName.dnsName("d\($0).example.com") }
        let names = (0..<1500).map { GeneralName.dnsName("a.d\($0).example.com") }
        #expect(try !isAllowed(names, permitted: domains))
        #expect(try isAllowed(Array(names.prefix(100)), permitted: domains))
    }

    /// Each attribute of a distinguished name counts, so that a few kilobytes do not keep a worker busy for seconds.
    @Test func namesOfManyAttributesEnd() throws {
        func part(_ number: Int) -> RelativeDistinguishedName {
            RelativeDistinguishedName(
                (0..<16).map { .init(type: .RDNAttributeType.organizationalUnitName, utf8String: "u\(number) \($0)") })
        }
        func names(_ count: Int, from start: Int) -> [GeneralName] {
            (start..<start + count).map { .directoryName(DistinguishedName([part($0), part($0)])) }
        }
        #expect(try isAllowed(names(10, from: 0), excluded: names(20, from: 100)))
        #expect(try !isAllowed(names(100, from: 0), excluded: names(100, from: 1000)))
    }
}
