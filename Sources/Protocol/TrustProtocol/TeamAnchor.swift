import ChatelaineModel

/// The certificate at which the certificate chains of a team end.
package struct TeamAnchor: Hashable, Sendable {
    package let owner: TeamOwner
    /// DER.
    package let certificate: [UInt8]
    /// Whether the team's programs need a profile signed by the anchor's own key, which says what each signer may
    /// claim.
    package var requiresProfiles: Bool

    package init(owner: TeamOwner, certificate: [UInt8], requiresProfiles: Bool = false) {
        self.owner = owner
        self.certificate = certificate
        self.requiresProfiles = requiresProfiles
    }
}

extension TeamOwner: CBORValue {
    private enum Field: UInt64, CBORField {
        case team = 1
        case anchorKey = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.team, team)
            $0.write(Field.anchorKey, anchorKey)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(team: try map.read(Field.team), anchorKey: try map.read(Field.anchorKey))
        reader = try map.end()
    }
}

extension TeamAnchor: CBORValue {
    private enum Field: UInt64, CBORField {
        case owner = 1
        case certificate = 2
        case requiresProfiles = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.owner, owner)
            $0.write(Field.certificate, certificate)
            $0.write(Field.requiresProfiles, requiresProfiles)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            owner: try map.read(Field.owner), certificate: try map.read(Field.certificate),
            requiresProfiles: try map.read(Field.requiresProfiles))
        guard certificate.count <= SignatureLimits.maximumAnchorBytes else { throw .limitExceeded }
        reader = try map.end()
    }
}
