import ChatelaineModel

/// Lists or changes what a person trusts, and lists what root has the machine trust (`security add-trusted-cert`).
///
/// The reply holds the settings after the command. Errors: `errSecItemNotFound` (there are no settings for the
/// certificate), `errSecParam` (the bytes are no certificate, or the caller asks root's daemon, which uses only root's
/// files).
package enum TrustSettingsCommand: Sendable, Equatable {
    case list(TrustSetting.Domain)
    /// Sets what a certificate (DER) is trusted for, replacing former settings.
    case set(certificate: [UInt8], [TrustConstraint])
    case remove(certificate: [UInt8])
    /// Removes all settings, including those whose file is lost and which cannot be named.
    case removeAll
    /// Replaces all settings by these. securityd reads subjects and names from the certificates and ignores those given
    /// here.
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
