/// Bounds of signatures. What is beyond them is no signature, and the program has no group.
package enum SignatureLimits {
    /// Bytes of a file `NAME.codesig`: some hundred groups and a chain of five are a fifth of it.
    package static let maximumFileBytes = 128 * 1024
    /// Groups of one kind. A look-up without a group looks into each.
    package static let maximumGroups = 100
    /// Bytes of an identifier or a group: of what `kSecAttrAccessGroup` may be, with the owner before it.
    package static let maximumNameBytes = 255
    /// Of a chain, the anchor included: signer, anchor and a few between them.
    package static let maximumCertificates = 5
    /// Bytes of an anchor's file.
    package static let maximumAnchorBytes = 16 * 1024
    /// Anchors of a user's machine.
    package static let maximumTeams = 256
    /// How deep a JSON value may be nested.
    package static let maximumDepth = 8
    /// Bytes of the sentence about a defect.
    package static let maximumDetailBytes = 200
    /// Bytes of a certificate's distinguished name, as it is shown.
    package static let maximumSubjectBytes = 1024
}
