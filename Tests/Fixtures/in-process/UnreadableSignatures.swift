import ChatelaineModel
import TrustProtocol

/// A verifier that throws for every signature and every anchor.
package struct UnreadableSignatures: SignatureVerifying {
    package init() {}

    package func verify(_: SignatureQuestion) throws(KeychainError) -> SignatureVerdict { throw Self.nobody }

    package func examine(_: AnchorQuestion) throws(KeychainError) -> AnchorReport { throw Self.nobody }

    private static var nobody: KeychainError {
        KeychainError(.unimplemented, "nobody looks at certificates here")
    }
}
