import ChatelaineModel

/// Lists or changes the teams whose signatures count (`security app team`).
///
/// The reply holds the teams that the command left or removed. Errors: `errSecItemNotFound`, `errSecParam` (the file
/// cannot be an anchor), `errSecDuplicateItem` (the team has another anchor, or one set by root).
package enum TeamCommand: Sendable, Equatable {
    case list
    /// Makes a certificate, PEM or DER, the anchor of its team. A named team has to be the certificate's own.
    case add(certificate: [UInt8], team: TeamIdentifier?)
    case remove(TeamIdentifier)
}

extension TeamCommand: RequestMessage {
    package typealias Reply = [TeamDescription]

    package static let name = "a decision about a team"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation {
        switch self {
        case .list: .listTeams
        case .add: .addTeam
        case .remove: .removeTeam
        }
    }

    package func encodeFields(to writer: inout CBORWriter) {
        switch self {
        case .list: break
        case .add(let certificate, let team):
            writer.write(RequestField.change, certificate)
            writer.write(RequestField.name, team)
        case .remove(let team): writer.write(RequestField.name, team)
        }
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        switch operation {
        case .listTeams: self = .list
        case .addTeam:
            let certificate: [UInt8] = try fields.read(RequestField.change)
            guard certificate.count <= SignatureLimits.maximumAnchorBytes else { throw .limitExceeded }
            self = .add(certificate: certificate, team: try fields.readIfPresent(RequestField.name))
        case .removeTeam: self = .remove(try fields.read(RequestField.name))
        default: throw .unsupported
        }
    }
}

/// A team whose anchor root or the person has set, as `security app team list` shows it.
package struct TeamDescription: Sendable, Equatable {
    package var team: TeamIdentifier
    package var origin: AnchorOrigin
    /// SHA-256 of the anchor's public key; nil where the anchor cannot be used.
    package var anchorKey: Bytes32?
    package var subject = ""
    /// Seconds since 1970; 0 where the anchor cannot be used.
    package var validFrom: Int64 = 0
    package var validUntil: Int64 = 0
    package var requiresProfiles = false
    /// Why the team's signatures do not count; empty where they do.
    package var problem = ""

    package init(team: TeamIdentifier, origin: AnchorOrigin) {
        self.team = team
        self.origin = origin
    }
}

extension TeamDescription: CBORValue {
    private enum Field: UInt64, CBORField {
        case team = 0
        case origin = 1
        case anchorKey = 2
        case subject = 3
        case validFrom = 4
        case validUntil = 5
        case requiresProfiles = 6
        case problem = 7
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.team, team)
            $0.write(Field.origin, origin)
            $0.write(Field.anchorKey, anchorKey)
            $0.write(Field.subject, subject)
            $0.write(Field.validFrom, validFrom)
            $0.write(Field.validUntil, validUntil)
            $0.write(Field.requiresProfiles, requiresProfiles)
            $0.write(Field.problem, problem)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(team: try map.read(Field.team), origin: try map.read(Field.origin))
        anchorKey = try map.readIfPresent(Field.anchorKey)
        subject = try map.read(Field.subject)
        validFrom = try map.read(Field.validFrom)
        validUntil = try map.read(Field.validUntil)
        requiresProfiles = try map.read(Field.requiresProfiles)
        problem = try map.read(Field.problem)
        reader = try map.end()
    }
}
