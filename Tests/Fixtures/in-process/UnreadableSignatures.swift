import ChatelaineModel
import TrustProtocol

/// Where nobody can look at signatures: none counts, and no anchor is one.
package struct UnreadableSignatures: SignatureVerifying {
    package init() {}

    package func verify(_: SignatureQuestion) throws(KeychainError) -> SignatureVerdict { throw Self.nobody }

    package func examine(_: AnchorQuestion) throws(KeychainError) -> AnchorReport { throw Self.nobody }

    private static var nobody: KeychainError {
        KeychainError(.unimplemented, "nobody looks at certificates here")
    }
}
