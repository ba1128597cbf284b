import ChatelaineModel
import CoreFoundation
import Foundation

/// Copies the certificates for which something is set, in the user's, the machine's or the distribution's domain.
///
/// - Returns: `errSecNoTrustSettings` where there are none.
@discardableResult
public func SecTrustSettingsCopyCertificates(
    _ domain: SecTrustSettingsDomain, _ certArray: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    CallStatus.of("SecTrustSettingsCopyCertificates") { () throws(KeychainError) in
        let certificates = try TrustSettingsCalls.certificates(domain)
        certArray?.pointee = certificates as NSArray
    }
}

/// Copies what is set for a certificate: an array of dictionaries, empty where it is trusted for everything.
///
/// - Returns: `errSecItemNotFound` where nothing is set for it.
@discardableResult
public func SecTrustSettingsCopyTrustSettings(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain, _ trustSettings: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    CallStatus.of("SecTrustSettingsCopyTrustSettings") { () throws(KeychainError) in
        trustSettings.pointee = ResultObject.make(try TrustSettingsCalls.settings(of: certRef, domain)) as? NSArray
    }
}

/// Copies when something was last set for a certificate.
///
/// - Returns: `errSecItemNotFound` where nothing is set for it.
@discardableResult
public func SecTrustSettingsCopyModificationDate(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain, _ modificationDate: UnsafeMutablePointer<CFDate?>
) -> OSStatus {
    CallStatus.of("SecTrustSettingsCopyModificationDate") { () throws(KeychainError) in
        modificationDate.pointee =
            ResultObject.make(try TrustSettingsCalls.modificationDate(of: certRef, domain)) as? NSDate
    }
}

/// Sets what a certificate is trusted for, in place of what was set before.
///
/// Where there is a passcode, a dialog asks for it before anything of the user's is set. The machine's settings are root's to make.
///
/// - Parameter trustSettingsDictOrArray: a dictionary of `kSecTrustSettings…` or an array of such, of which the first that concerns an evaluation
///   decides, where one that trusts and allows an error lets a denial after it decide; nil trusts the certificate for everything.
/// - Returns: `errSecDataNotModifiable` in the domain of the system; `errSecAuthFailed` in that of the machine, unless root calls it.
@discardableResult
public func SecTrustSettingsSetTrustSettings(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain, _ trustSettingsDictOrArray: CFTypeRef?
) -> OSStatus {
    CallStatus.of("SecTrustSettingsSetTrustSettings") { () throws(KeychainError) in
        try TrustSettingsCalls.set(certRef, domain, try dictionaries(trustSettingsDictOrArray))
    }
}

/// Removes what is set for a certificate, as ``SecTrustSettingsSetTrustSettings(_:_:_:)`` sets it.
///
/// - Returns: `errSecItemNotFound` where nothing is set for it.
@discardableResult
public func SecTrustSettingsRemoveTrustSettings(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain
) -> OSStatus {
    CallStatus.of("SecTrustSettingsRemoveTrustSettings") { () throws(KeychainError) in
        try TrustSettingsCalls.remove(certRef, domain)
    }
}

/// Copies all settings of a domain as a property list.
///
/// - Returns: `errSecNoTrustSettings` where there are none.
@discardableResult
public func SecTrustSettingsCreateExternalRepresentation(
    _ domain: SecTrustSettingsDomain, _ trustSettings: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    CallStatus.of("SecTrustSettingsCreateExternalRepresentation") { () throws(KeychainError) in
        trustSettings.pointee = ResultObject.make(try TrustSettingsCalls.external(domain)) as? NSData
    }
}

/// Sets what a property list says, in place of all settings of the domain; nothing is changed where a part of it cannot be set.
///
/// - Returns: `errSecInvalidTrustSettings` for other data; otherwise as ``SecTrustSettingsSetTrustSettings(_:_:_:)``.
@discardableResult
public func SecTrustSettingsImportExternalRepresentation(
    _ domain: SecTrustSettingsDomain, _ trustSettings: CFData
) -> OSStatus {
    CallStatus.of("SecTrustSettingsImportExternalRepresentation") { () throws(KeychainError) in
        try TrustSettingsCalls.importExternal(QueryDictionary.value(trustSettings, isSecret: false), domain)
    }
}

/// The pairs of a dictionary, or of those of an array.
private func dictionaries(_ argument: CFTypeRef?) throws(KeychainError) -> [[QueryDictionary.Pair]] {
    switch argument {
    case nil: return []
    case let dictionary as NSDictionary: return [try QueryDictionary.pairs(of: dictionary, isElement: true)]
    case let array as NSArray where array.count <= TrustLimits.maximumConstraints:
        var all: [[QueryDictionary.Pair]] = []
        for element in array {
            guard let dictionary = element as? NSDictionary else { throw TrustSettingsCalls.noSettings }
            all.append(try QueryDictionary.pairs(of: dictionary, isElement: true))
        }
        return all
    default: throw TrustSettingsCalls.noSettings
    }
}
