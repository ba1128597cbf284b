import ChatelaineModel
import SwiftASN1
import Testing

/// The table of policies has no inconsistent row.
struct PolicyTableTests {
    private static let all = TrustPolicy.Purpose.allCases

    @Test func eachPolicyIsNamedOnce() {
        #expect(Set(Self.all.map(\.identifier)).count == Self.all.count)
        let words = Self.all.compactMap(\.terms.word)
        #expect(Set(words.map { $0.lowercased() }).count == words.count && words.count == Self.all.count - 1)
        for purpose in Self.all { #expect(TrustPolicy.Purpose(identifier: purpose.identifier) == purpose) }
        #expect(TrustPolicy.Purpose.pkinitServer.identifier == "1.2.840.113635.100.1.15")
    }

    /// An unreadable identifier would be left out, and certificates for the purpose refused.
    @Test func identifiersOfPurposesAreSome() throws {
        for purpose in Self.all {
            for text in [false, true].flatMap({ purpose.terms.purposes(isClient: $0) }) {
                #expect(try String(describing: ASN1ObjectIdentifier(dotRepresentation: text[...])) == text)
            }
            // A row that demands a purpose must name one.
            #expect(purpose.terms.hasPurposes || purpose.terms.demand == .none)
            #expect((purpose.terms.keyUsage ?? 1) & ~TrustPolicy.allKeyUsages == 0)
        }
    }
}
