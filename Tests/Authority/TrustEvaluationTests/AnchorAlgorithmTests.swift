import ChatelaineModel
import SwiftASN1
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// The algorithm of an anchor's own signature does not matter, and that of every other certificate does.
struct AnchorAlgorithmTests {
    typealias Wish = TestCertificate.Wish

    /// ECDSA with SHA-1, RSA with MD5, and RSA-PSS with SHA-1.
    private static let (ecdsaSHA1, rsaMD5, pss): ([UInt8], [UInt8], [UInt8]) = (
        [0x30, 9, 6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 1],
        [0x30, 13, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 4, 5, 0],
        [0x30, 13, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10, 0x30, 0]
    )

    private func defects(_ chain: TestChain, anchors: [[UInt8]], given: [[UInt8]] = []) -> [[TrustDefect]] {
        chain.defects {
            $0.question.anchors = anchors
            $0.question.certificates += given
        }
    }

    @Test(arguments: [ecdsaSHA1, rsaMD5, pss])
    func anAnchorIsSignedByAnything(_ algorithm: [UInt8]) throws {
        let chain = try TestChain()
        let anchor = try chain.root.der(signedBy: algorithm)
        #expect(defects(chain, anchors: [anchor]) == [[], [], []])
        // Also where it came with the other certificates, or is one of the distribution's.
        #expect(defects(chain, anchors: [anchor], given: [anchor]) == [[], [], []])
        let verdict = chain.verdict {
            ($0.roots, $0.question.anchors, $0.question.hasOwnAnchorsOnly) = ([anchor], [], false)
        }
        #expect(verdict.isTrusted && verdict.chain.last?.certificate == anchor)
        #expect(RootBundle.read(anchor).map(\.certificate) == [anchor])
        // It is examined as each anchor is.
        let old = try TestChain(root: .authority("Root").with { $0.until = TestCertificate.now - 1 })
        #expect(defects(old, anchors: [try old.root.der(signedBy: algorithm)]) == [[], [], [.expired]])
    }

    @Test func nothingButAnAnchorIs() throws {
        let chain = try TestChain()
        for (algorithm, defect) in [
            (Self.ecdsaSHA1, TrustDefect.weakDigest), (Self.rsaMD5, .weakDigest), (Self.pss, .weakDigest),
        ] {
            let (between, leaf) = (
                try chain.between.der(signedBy: algorithm), try chain.leaf.der(signedBy: algorithm)
            )
            let above = chain.verdict { $0.question.certificates[1] = between }
            #expect(above.chain.map(\.defects) == [[.noIssuer], [defect]] && !above.isTrusted)
            #expect(above.result == .fatalTrustFailure)
            let itself = chain.verdict { $0.question.certificates[0] = leaf }
            #expect(itself.chain.map(\.defects) == [[defect]] && itself.result == .fatalTrustFailure)
            // As an anchor it ends a chain, and is no way to another one.
            #expect(defects(chain, anchors: [between]) == [[], []])
            let both = chain.verdict {
                $0.question.certificates[1] = between
                $0.question.anchors = [chain.root.der, between]
            }
            #expect(both.chain.map(\.certificate) == [chain.leaf.der, between])
        }
        // Without the number of weak digests it is only unreadable: its key, too, is none that is known.
        #expect(UnreadableCertificate([0x30, 0]).link.defects == [.unreadable])
    }

    /// A certificate that is, byte for byte, what an anchor is read from does not get the anchor's place.
    @Test func noOtherCertificatePassesForTheAnchor() throws {
        let key = try Certificate.PrivateKey.rsa()
        let chain = try TestChain(root: .authority("Root").with { $0.key = key })
        let anchor = try chain.root.der(signedBy: Self.rsaMD5)
        #expect(try ReadableCopy.bytes(of: anchor) == chain.root.der)
        #expect(defects(chain, anchors: [anchor], given: [chain.root.der]) == [[], [], [.notTrusted]])
        let fetched = chain.verdict {
            $0.question.anchors = [anchor]
            $0.fetched.issuers = [chain.root.der]
        }
        #expect(fetched.isTrusted && fetched.chain.last?.certificate == anchor)
    }

    @Test func twoAlgorithmsAreNone() throws {
        let chain = try TestChain()
        let anchor = try chain.root.der(signedBy: Self.ecdsaSHA1, outside: Self.rsaMD5)
        #expect(defects(chain, anchors: [anchor])[1] == [.noIssuer])
    }
}
