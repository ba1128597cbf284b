/// Limits of signatures; a signature that exceeds one does not count, and the program has no group.
package enum SignatureLimits {
    /// Bytes of a file `NAME.codesig`: five times what some hundred groups and a chain of five take.
    package static let maximumFileBytes = 128 * 1024
    /// Groups of one kind; a look-up without a group searches each.
    package static let maximumGroups = 100
    /// Bytes of an identifier or group, so that it fits into `kSecAttrAccessGroup` with its owner.
    package static let maximumNameBytes = 255
    /// Certificates of a chain, the anchor included.
    package static let maximumCertificates = 5
    /// Bytes of an anchor's file.
    package static let maximumAnchorBytes = 16 * 1024
    /// Anchors that a user has on a machine.
    package static let maximumTeams = 256
    /// The deepest nesting of a JSON value.
    package static let maximumDepth = 8
    /// Bytes of the sentence about a defect.
    package static let maximumDetailBytes = 200
    /// Bytes of a certificate's distinguished name in messages.
    package static let maximumSubjectBytes = 1024
}
