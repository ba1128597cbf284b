import ChatelaineModel

/// What a person trusts, and what root has the machine trust (`security add-trusted-cert`); the settings that it left follow.
///
/// `errSecItemNotFound` (there are no settings for the certificate), `errSecParam` (it is no certificate; or root's daemon is asked, which
/// believes root's files alone).
package enum TrustSettingsCommand: Sendable, Equatable {
    case list(TrustSetting.Domain)
    /// Sets what a certificate (DER) is trusted for, in place of what was set before.
    case set(certificate: [UInt8], [TrustConstraint])
    case remove(certificate: [UInt8])
    /// Also those whose file is lost, which nobody can name.
    case removeAll
    /// Sets these in place of all others. Subjects and names are securityd's to find out, and nobody reads those that are given.
    case replace([TrustSetting])
}

extension TrustSettingsCommand: RequestMessage {
    package typealias Reply = [TrustSetting]

    package static let name = "a decision about trust"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation {
        switch self {
        case .list: .listTrustSettings
        case .set: .setTrustSettings
        case .remove: .removeTrustSettings
        case .removeAll: .removeAllTrustSettings
        case .replace: .replaceTrustSettings
        }
    }

    package func encodeFields(to writer: inout CBORWriter) {
        switch self {
        case .list(let domain): writer.write(RequestField.number, domain)
        case .set(let certificate, let constraints):
            writer.writeArray(RequestField.query, constraints)
            writer.write(RequestField.change, certificate)
        case .remove(let certificate): writer.write(RequestField.change, certificate)
        case .removeAll: break
        case .replace(let settings): writer.writeArray(RequestField.query, settings)
        }
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        switch operation {
        case .listTrustSettings: self = .list(try fields.read(RequestField.number))
        case .setTrustSettings:
            let constraints: [TrustConstraint] = try fields.readArray(
                RequestField.query, limit: TrustLimits.maximumConstraints)
            self = .set(certificate: try Self.certificate(&fields), constraints)
        case .removeTrustSettings: self = .remove(certificate: try Self.certificate(&fields))
        case .removeAllTrustSettings: self = .removeAll
        case .replaceTrustSettings:
            self = .replace(try fields.readArray(RequestField.query, limit: TrustLimits.maximumSettings))
        default: throw .unsupported
        }
    }

    private static func certificate(_ fields: inout CBORMap) throws(CBORError) -> [UInt8] {
        let certificate: [UInt8] = try fields.read(RequestField.change)
        guard certificate.count <= TrustLimits.maximumCertificateBytes else { throw .limitExceeded }
        return certificate
    }
}
