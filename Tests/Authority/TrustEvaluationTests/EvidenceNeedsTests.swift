import ChatelaineModel
import Foundation
import SwiftASN1
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// An evaluation says which evidence it needs, and from which servers.
struct EvidenceNeedsTests {
    typealias Wish = TestCertificate.Wish

    private static let (first, second) = ("http://ocsp.example.com/1", "http://ocsp.example.com/2")
    private static let (list, upper) = ("http://lists.example.com/leaf.crl", "http://lists.example.com/between.crl")

    /// The first certificate names two responders and a list, the second a list, and each its issuer.
    private let chain: TestChain

    init() throws {
        chain = try TestChain(
            between: .authority("Between").with {
                $0.others = [
                    try TestSources.access(issuers: ["http://certs.example.com/root"]),
                    try TestSources.lists([Self.upper]),
                ]
            },
            leaf: Wish().with {
                $0.others = [
                    try TestSources.access([Self.first, Self.second], issuers: ["http://certs.example.com/between"]),
                    try TestSources.lists([Self.list]),
                ]
            })
    }

    /// The needed evidence, as the kinds and addresses of its sources.
    private func needs(
        _ chain: TestChain? = nil, _ flags: RevocationFlags? = nil, _ change: (inout TrustCase) -> Void = { _ in }
    ) -> [[String]] {
        (chain ?? self.chain).judgement {
            if let flags { $0.question.policies.append(TrustPolicy(.revocation, revocation: flags)) }
            change(&$0)
        }
        .needs.map { need in
            need.sources.map { source in
                #expect(source.request.isEmpty == (source.kind != .response))
                return "\(source.kind) \(source.url)"
            }
        }
    }

    // MARK: Revocation

    @Test func policiesSayWhatIsAskedFor() {
        let (one, two) = ("response \(Self.first)", "response \(Self.second)")
        let (below, above) = ("list \(Self.list)", "list \(Self.upper)")
        // The certificate nearest to the anchor comes first, because nobody below it has chosen its servers.
        let rows: [(RevocationFlags?, [[String]])] = [
            (nil, []), ([.ocsp], [[one, two]]), ([.lists], [[above], [below]]),
            ([.ocsp, .lists], [[above], [one, two, below]]),
            ([.ocsp, .lists, .preferLists], [[above], [below, one, two]]), ([.ocsp, .preferLists], [[one, two]]),
            ([.ocsp, .requirePositiveResponse], [[one, two]]), ([.requirePositiveResponse], []),
            ([.ocsp, .lists, .noNetwork], []), ([.ocsp, .requirePositiveResponse, .noNetwork], []),
        ]
        for (flags, expected) in rows {
            #expect(needs(nil, flags) == expected, "\(String(describing: flags))")
            #expect(needs(nil, flags) { $0.question.allowsFetching = false } == [])
        }
        // Several policies add up their evidence, and one of them can forbid the network for all.
        let lists = TrustPolicy(.revocation, revocation: [.lists])
        let still = TrustPolicy(.revocation, revocation: [.lists, .noNetwork])
        #expect(needs(nil, [.ocsp]) { $0.question.policies.append(lists) } == [[above], [one, two, below]])
        #expect(needs(nil, [.ocsp]) { $0.question.policies.append(still) } == [])
    }

    /// The sender of a chain chooses the servers that it names.
    @Test func aChainThatComesToNothingAsksNobody() throws {
        let all: RevocationFlags = [.ocsp, .lists]
        let strangers = needs(nil, all) {
            $0.question.anchors = []
            $0.question.certificates.append(chain.root.der)
        }
        #expect(strangers == [])
        let denied = needs(nil, all) {
            $0.settings = [.init(.user, certificate: chain.between.der, constraints: [TrustConstraint(.deny)])]
        }
        #expect(denied == [])
        let damaged = try TestChain(
            leaf: Wish().with {
                $0.others = [
                    try TestSources.access([Self.first]),
                    Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 99999, 1], critical: true, value: [5, 0]),
                ]
            })
        #expect(needs(damaged, all) == [])
        // A program may accept an expired certificate, but has to learn that it is revoked.
        #expect(needs(nil, all) { $0.question.date = TestCertificate.now + 100 * TestCertificate.day }.count == 2)
    }

    @Test func anAnchorAloneIsNobodysToRevoke() throws {
        let alone = needs(nil, [.ocsp, .lists]) { $0.question.anchors = [chain.leaf.der] }
        #expect(alone == [])
    }

    // MARK: Issuers

    @Test func theIssuerOfTheLastIsAskedFor() throws {
        let (below, above) = ("issuer http://certs.example.com/between", "issuer http://certs.example.com/root")
        let lone = needs { $0.question.certificates = [chain.leaf.der] }
        #expect(lone == [[below]])
        // A policy that forbids the network forbids it for issuers as well.
        #expect(needs(nil, [.ocsp, .noNetwork]) { $0.question.certificates = [chain.leaf.der] } == [])
        // By default issuers are fetched only for TLS, because a server would learn that its certificate is being
        // checked.
        for purpose: TrustPolicy.Purpose in [.basic, .smime, .codeSigning] {
            for (allows, expected) in [(nil, []), (true, [[below]]), (false, [])] as [(Bool?, [[String]])] {
                let needs = needs {
                    $0.question.certificates = [chain.leaf.der]
                    $0.question.policies = [TrustPolicy(purpose)]
                    $0.question.allowsFetching = allows
                }
                #expect(needs == expected, "\(purpose)")
            }
        }
        #expect(needs { $0.question.anchors = [] } == [[above]])
        #expect(needs() == [])
        let closed = needs {
            $0.question.certificates = [chain.leaf.der]
            $0.question.allowsFetching = false
        }
        #expect(closed == [])
        // The certificates name no issuer, are their own issuer, or are denied.
        #expect(needs(try TestChain()) { $0.question.anchors = [] } == [])
        let own = try TestCertificate(Wish().with { $0.others = [try TestSources.access(issuers: ["http://a/b"])] })
        #expect(needs { $0.question.certificates = [own.der] } == [])
        let denied = needs {
            $0.question.certificates = [chain.leaf.der]
            $0.settings = [.init(.user, certificate: chain.leaf.der, constraints: [TrustConstraint(.deny)])]
        }
        #expect(denied == [])
    }

    // MARK: Bounds

    private func leaf(_ others: [Certificate.Extension]) throws -> TestChain {
        try TestChain(leaf: Wish().with { $0.others = others })
    }

    @Test func onlyAddressesOfHTTPAreAsked() throws {
        let refused = [
            "ldap://directory/cn=x", "file:///etc/passwd", "https://secure/x", "ftp://files/x", "http:", "http://",
            "http:///x", "http://?x", "http://a b/", "http://a/\u{7F}", "http://a/\r\nHost: b", "/x", "",
            "http://long/" + String(repeating: "x", count: 3000), " http://a/",
        ]
        let chain = try leaf([
            try TestSources.access(refused + ["HTTP://Example.com/x?y=%20"], issuers: refused),
            try TestSources.lists(refused),
        ])
        #expect(needs(chain, [.ocsp, .lists]) == [["response HTTP://Example.com/x?y=%20"]])
        #expect(needs(chain) { $0.question.certificates = [chain.leaf.der] } == [])
        // The longest accepted address, and one that is a byte longer.
        for (count, isAsked) in [(EvidenceLimits.maximumURLBytes, true), (EvidenceLimits.maximumURLBytes + 1, false)] {
            let url = "http://a/" + String(repeating: "x", count: count - 9)
            #expect(needs(try leaf([try TestSources.lists([url])]), [.lists]).isEmpty != isAsked)
        }
    }

    @Test func ofHundredsAFewAreAsked() throws {
        let urls = (0..<100).map { "http://a/\($0 / 2)" }
        let chain = try leaf([try TestSources.access(urls, issuers: urls), try TestSources.lists(urls)])
        func named(_ kinds: (String, Int)...) -> [[String]] {
            [kinds.flatMap { kind, count in (0..<count).map { "\(kind) http://a/\($0)" } }]
        }
        #expect(needs(chain, [.ocsp]) == named(("response", 4)))
        // Each kind has its turn.
        #expect(needs(chain, [.ocsp, .lists]) == named(("response", 2), ("list", 2)))
        #expect(needs(chain, [.ocsp, .lists, .preferLists]) == named(("list", 2), ("response", 2)))
        #expect(needs(chain) { $0.question.certificates = [chain.leaf.der] } == named(("issuer", 4)))
        #expect(
            needs(try leaf([try TestSources.lists(urls)]), [.ocsp, .lists]) == [(0..<4).map { "list http://a/\($0)" }])
    }

    @Test func pointsOfOthersOrOfSomeReasonsAreNotAsked() throws {
        let name = GeneralName.uniformResourceIdentifier("http://a/x")
        let chain = try leaf([
            try TestSources.points([
                {
                    try TestSources.point(&$0, [name])
                    $0.appendPrimitiveNode(identifier: TestSources.tag(1)) { $0 += [6, 0x40] }
                },
                {
                    try TestSources.point(&$0, [name])
                    try $0.appendConstructedNode(identifier: TestSources.tag(2)) { try $0.serialize(name) }
                },
                { $0.appendConstructedNode(identifier: TestSources.tag(0)) { _ in } },
                { _ in },
                { try TestSources.point(&$0, [.dnsName("a"), .uniformResourceIdentifier("http://b/x")]) },
            ])
        ])
        #expect(needs(chain, [.lists]) == [["list http://b/x"]])
        let damaged = Certificate.Extension(oid: [2, 5, 29, 31], critical: false, value: [0x30, 0x80, 1])
        #expect(needs(try leaf([damaged]), [.lists]) == [])
    }

    // MARK: The question

    @Test func theQuestionIsThatOfOpenSSL() throws {
        let folder = try OpenSSLFolder()
        // The first byte of a number may look like a sign, and a zero byte then says that it is none.
        for serial: [UInt8] in [[1], [0x7F, 0xFF], [0x80], [0xFF, 1, 2], [UInt8](repeating: 0xA5, count: 20)] {
            let chain = try TestChain(
                leaf: Wish().with {
                    $0.serial = Certificate.SerialNumber(bytes: serial)
                    $0.others = [try TestSources.access([Self.first])]
                })
            try folder.write("between", chain.between.pem)
            try folder.write("leaf", chain.leaf.pem)
            try folder.run("ocsp", "-issuer", "@between", "-cert", "@leaf", "-no_nonce", "-reqout", "@request")
            let judgement = chain.judgement {
                $0.question.policies.append(TrustPolicy(.revocation, revocation: [.ocsp]))
            }
            #expect(judgement.needs.first?.sources.first?.request == (try folder.bytes("request")), "\(serial)")
        }
    }

    @Test func aNumberOfAThousandBytesIsNotAskedAbout() throws {
        let chain = try TestChain(
            leaf: Wish().with {
                $0.serial = Certificate.SerialNumber(bytes: [UInt8](repeating: 1, count: 1000))
                $0.others = [try TestSources.access([Self.first]), try TestSources.lists([Self.list])]
            })
        #expect(needs(chain, [.ocsp, .lists]) == [["list \(Self.list)"]])
    }
}
