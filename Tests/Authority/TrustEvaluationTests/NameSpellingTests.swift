import ChatelaineModel
import SwiftASN1
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// An issuer is found in whatever spelling its name is given (RFC 5280, 7.1).
struct NameSpellingTests {
    typealias Wish = TestCertificate.Wish
    typealias Value = RelativeDistinguishedName.Attribute.Value

    private static let good: [[TrustDefect]] = [[], [], []]

    private func name(_ value: Value) -> DistinguishedName {
        DistinguishedName([RelativeDistinguishedName([.init(type: .RDNAttributeType.commonName, value: value)])])
    }

    private func raw(_ tag: UInt8, _ bytes: [UInt8]) throws -> Value {
        Value(asn1Any: try ASN1Any(derEncoded: [tag, UInt8(bytes.count)] + bytes))
    }

    /// The chain with the issuer named by `issuer` in the leaf, and by `subject` in its own certificate.
    private func chain(issuer: Value, subject: Value) throws -> TestChain {
        var chain = try TestChain(between: .authority().with { $0.subject = name(subject) })
        let other = try TestCertificate(
            .authority().with {
                $0.subject = name(issuer)
                $0.key = chain.between.key
            }, by: chain.root)
        chain.leaf = try TestCertificate(Wish(), by: other)
        return chain
    }

    @Test func anIssuerIsFoundInAnotherSpelling() throws {
        let utf8 = Value(utf8String: "Corp CA")
        let text = Array("Corp CA".utf8)
        let wide: [UInt8] = text.flatMap { [UInt8(0), $0] }
        let wider: [UInt8] = text.flatMap { [UInt8(0), 0, 0, $0] }
        for other in [
            try Value(printableString: "CORP  ca"), try Value(printableString: " Corp CA "),
            Value(utf8String: "corp ca"), try Value(ia5String: "Corp CA"), try raw(0x1E, wide),
            try raw(0x1C, wider), try raw(0x14, text), try raw(0x1A, text),
        ] {
            #expect(try chain(issuer: other, subject: utf8).defects() == Self.good, "\(other)")
            #expect(try chain(issuer: utf8, subject: other).defects() == Self.good, "\(other)")
        }
        #expect(
            try chain(issuer: Value(utf8String: "Int\u{E9}r"), subject: try raw(0x14, [0x49, 0x6E, 0x74, 0xE9, 0x72]))
                .defects() == Self.good)
        for other in ["CorpCA", "Corp CB", "Corp-CA"] {
            #expect(try chain(issuer: Value(utf8String: other), subject: utf8).defects() == [[.noIssuer]], "\(other)")
        }
    }

    /// An attribute of a name counts with its type, and parts count in their order.
    @Test func partsOfNamesAreNotMixed() {
        func part(_ type: ASN1ObjectIdentifier, _ text: String) -> RelativeDistinguishedName.Attribute {
            .init(type: type, utf8String: text)
        }
        let (a, b) = (part(.RDNAttributeType.commonName, "A"), part(.RDNAttributeType.organizationName, "B"))
        func name(_ parts: [[RelativeDistinguishedName.Attribute]]) -> ComparableName {
            ComparableName(DistinguishedName(parts.map { RelativeDistinguishedName($0) }))
        }
        #expect(name([[a, b]]) == name([[b, a]]))
        #expect(name([[a], [b]]) != name([[b], [a]]) && name([[a], [b]]) != name([[a, b]]))
        #expect(name([[a]]) != name([[part(.RDNAttributeType.organizationName, "A")]]))
    }

    @Test func whoIssuedItselfDidSoInAnySpelling() throws {
        // The certificate between is the root's second key, and does not count for the length of the path.
        let chain = try TestChain(
            root: .authority("Corp CA").with { $0.pathLength = 0 },
            between: .authority().with { $0.subject = name(try Value(printableString: "CORP  CA")) })
        #expect(chain.defects() == Self.good)
        let root = try TestCertificate(.authority("Corp CA").with { $0.key = chain.root.key })
        let unknown = chain.defects {
            $0.question.anchors = []
            $0.question.certificates.append(root.der)
        }
        #expect(unknown == [[], [], [.notTrusted]])
    }
}
