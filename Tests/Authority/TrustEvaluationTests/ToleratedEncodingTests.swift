import ChatelaineModel
import Foundation
import SwiftASN1
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// Extensions in encodings that DER forbids and authorities have in use.
struct ToleratedEncodingTests {
    typealias Wish = TestCertificate.Wish

    private static let good: [[TrustDefect]] = [[], [], []]

    private func ext(
        _ last: UInt, _ value: [UInt8], critical: Bool = true
    ) -> Certificate.Extension {
        Certificate.Extension(oid: [2, 5, 29, last], critical: critical, value: value[...])
    }

    private func withUsage(_ bits: [UInt8]) throws -> TestChain {
        try TestChain(
            between: .authority("Between").with {
                $0.usage = nil
                $0.others = [ext(15, [3, UInt8(bits.count)] + bits)]
            })
    }

    @Test func zerosFollowTheUsesOfAKey() throws {
        // Signing certificates and lists: as some roots have it, with one unused bit too few, and as DER has it.
        for bits: [UInt8] in [[7, 6, 0], [0, 6], [1, 6]] {
            #expect(try withUsage(bits).defects() == Self.good, "\(bits)")
        }
        #expect(try withUsage([0, 0x80]).defects() == [[], [.notAnAuthority], []])
        #expect(try withUsage([0]).defects() == [[], [.notAnAuthority], []])
        // A use without a name, and an unused bit that is set.
        for bits: [UInt8] in [[6, 6, 0x40], [2, 6]] {
            #expect(try withUsage(bits).defects() == [[], [.damagedExtension], []], "\(bits)")
        }
    }

    @Test func theDistributionsRootsAreGood() throws {
        let file = "/etc/ssl/certs/ca-certificates.crt"
        try #require(FileManager.default.fileExists(atPath: file), "ca-certificates is installed")
        for root in RootBundle.read([UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))) {
            let read = try #require(ReadCertificate(root.certificate))
            var question = TrustQuestion([root.certificate], policies: [TrustPolicy(.basic)])
            question.anchors = [root.certificate]
            let verdict = TrustEvaluator.evaluate(TrustCase(question, now: read.validUntil))
            #expect(verdict.chain.map(\.defects) == [[]], "\(root.summary)")
            #expect(read.extensions?.isAuthority ?? false || read.isOld, "\(root.summary)")
        }
    }

    @Test func defaultsMayBeWrittenOut() throws {
        func leaf(_ constraints: [UInt8]) throws -> [[TrustDefect]] {
            try TestChain(
                leaf: Wish().with {
                    $0.hasConstraints = false
                    $0.others = [ext(19, [0x30, UInt8(constraints.count)] + constraints)]
                }
            ).defects()
        }
        for constraints: [UInt8] in [[], [1, 1, 0], [2, 1, 0], [1, 1, 0, 2, 1, 0]] {
            #expect(try leaf(constraints) == Self.good, "\(constraints)")
        }
        for constraints: [UInt8] in [[1, 1, 1], [1, 1, 0xFF, 2, 1, 0xFF], [1, 1, 0xFF, 5, 0]] {
            #expect(try leaf(constraints) == [[.damagedExtension], [], []], "\(constraints)")
        }
        let not = try TestChain(
            between: .authority("Between").with {
                $0.hasConstraints = false
                $0.others = [ext(19, [0x30, 6, 1, 1, 0, 2, 1, 3])]
            })
        #expect(not.defects() == [[], [.notAnAuthority], []])
    }

    /// Name constraints with the host `com`, and what follows it in its subtree.
    @Test func aDistanceOfNamesIsNone() throws {
        func defects(_ rest: [UInt8]) throws -> [[TrustDefect]] {
            let subtree: [UInt8] = [0x30, UInt8(5 + rest.count), 0x82, 3] + Array("com".utf8) + rest
            let list = [0xA0, UInt8(subtree.count)] + subtree
            return try TestChain(
                between: .authority("Between").with { $0.others = [ext(30, [0x30, UInt8(list.count)] + list)] }
            ).defects()
        }
        for rest: [UInt8] in [[], [0x80, 1, 0]] { #expect(try defects(rest) == Self.good, "\(rest)") }
        for rest: [UInt8] in [[0x80, 1, 1], [0x80, 1, 0, 0x81, 1, 9], [0x81, 1, 9]] {
            #expect(try defects(rest) == [[], [.damagedExtension], []], "\(rest)")
        }
    }

    /// A mailbox with the Kelvin sign, which is a `k` in small letters, and a URI with an accent.
    @Test func textBeyondASCIISpoilsNoOtherName() throws {
        let mailbox = [0x81, 9] + Array("\u{212A}@x.com".utf8)
        let page = [0x86, 13] + Array("http://\u{E9}.com".utf8)
        let host = [0x82, 16] + Array("leaf.example.com".utf8)
        func chain(_ names: [UInt8], under constraint: GeneralName? = nil) throws -> TestChain {
            try TestChain(
                between: .authority("Between").with {
                    $0.allowed = constraint.map { NameConstraints(permittedSubtrees: [], excludedSubtrees: [$0]) }
                },
                leaf: Wish().with {
                    $0.names = []
                    $0.purposes = nil
                    $0.from = 1_500_000_000
                    $0.others = [ext(17, [0x30, UInt8(names.count)] + names, critical: false)]
                })
        }
        let all = try chain(mailbox + page + host)
        #expect(all.defects() == Self.good)
        #expect(all.defects(for: TrustPolicy(.smime, name: "k@x.com"))[0].contains(.wrongEmailAddress))
        // Nobody knows what such a name means, so it is not allowed where names are limited.
        for (names, constraint) in [
            (mailbox, GeneralName.rfc822Name("other.example")),
            (page, .uniformResourceIdentifier("other.example")),
        ] {
            #expect(
                try chain(names, under: constraint).defects(for: TrustPolicy(.basic)) == [[.nameNotAllowed], [], []])
        }
        // A host's name is what it is for.
        #expect(try chain([0x82, 2, 0xC3, 0xA9] + host).defects() == [[.damagedExtension], [], []])
    }

    @Test func placesOfListsAreKnown() throws {
        let lists = try TestSources.lists(["http://lists.example.com/1.crl"])
        let critical = Certificate.Extension(oid: lists.oid, critical: true, value: lists.value)
        #expect(try TestChain(leaf: Wish().with { $0.others = [critical] }).defects() == Self.good)
        // Where revocation is not asked about, nobody needs the places.
        let damaged = ext(31, [5, 0], critical: false)
        let chain = try TestChain(leaf: Wish().with { $0.others = [damaged] })
        #expect(chain.defects() == Self.good)
        #expect(
            chain.defects { $0.question.policies.append(TrustPolicy(.revocation)) } == [[.damagedExtension], [], []])
        #expect(
            try TestChain(leaf: Wish().with { $0.others = [ext(31, [5, 0])] }).defects()
                == [[.damagedExtension], [], []])
    }
}
