import ChatelaineModel
import CoreFoundation
import Foundation

/// Copies the certificates with trust settings in the user's, the machine's or the distribution's domain.
///
/// - Returns: `errSecNoTrustSettings` where the domain has no settings.
@discardableResult
public func SecTrustSettingsCopyCertificates(
    _ domain: SecTrustSettingsDomain, _ certArray: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    CallStatus.of("SecTrustSettingsCopyCertificates") { () throws(KeychainError) in
        let certificates = try TrustSettingsCalls.certificates(domain)
        certArray?.pointee = certificates as NSArray
    }
}

/// Copies the trust settings of a certificate: an array of dictionaries, empty where it is trusted for everything.
///
/// - Returns: `errSecItemNotFound` where the certificate has no settings.
@discardableResult
public func SecTrustSettingsCopyTrustSettings(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain, _ trustSettings: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    CallStatus.of("SecTrustSettingsCopyTrustSettings") { () throws(KeychainError) in
        trustSettings.pointee = ResultObject.make(try TrustSettingsCalls.settings(of: certRef, domain)) as? NSArray
    }
}

/// Copies the time at which a certificate's trust settings last changed.
///
/// - Returns: `errSecItemNotFound` where the certificate has no settings.
@discardableResult
public func SecTrustSettingsCopyModificationDate(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain, _ modificationDate: UnsafeMutablePointer<CFDate?>
) -> OSStatus {
    CallStatus.of("SecTrustSettingsCopyModificationDate") { () throws(KeychainError) in
        modificationDate.pointee =
            ResultObject.make(try TrustSettingsCalls.modificationDate(of: certRef, domain)) as? NSDate
    }
}

/// Replaces the trust settings of a certificate.
///
/// If there is a passcode, a dialog asks for it before the user's settings change. Only root can change the machine's
/// settings.
///
/// - Parameter trustSettingsDictOrArray: a dictionary of `kSecTrustSettings…`, or an array of dictionaries; nil
///   trusts the certificate for everything. The first dictionary that applies to an evaluation decides. After one
///   that trusts and allows an error, a later denial decides.
/// - Returns: `errSecDataNotModifiable` in the system's domain; `errSecAuthFailed` in the machine's domain for
///   callers other than root.
@discardableResult
public func SecTrustSettingsSetTrustSettings(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain, _ trustSettingsDictOrArray: CFTypeRef?
) -> OSStatus {
    CallStatus.of("SecTrustSettingsSetTrustSettings") { () throws(KeychainError) in
        try TrustSettingsCalls.set(certRef, domain, try dictionaries(trustSettingsDictOrArray))
    }
}

/// Removes the trust settings of a certificate, under the same conditions as
/// ``SecTrustSettingsSetTrustSettings(_:_:_:)``.
///
/// - Returns: `errSecItemNotFound` where the certificate has no settings.
@discardableResult
public func SecTrustSettingsRemoveTrustSettings(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain
) -> OSStatus {
    CallStatus.of("SecTrustSettingsRemoveTrustSettings") { () throws(KeychainError) in
        try TrustSettingsCalls.remove(certRef, domain)
    }
}

/// Copies all trust settings of a domain as a property list.
///
/// - Returns: `errSecNoTrustSettings` where the domain has no settings.
@discardableResult
public func SecTrustSettingsCreateExternalRepresentation(
    _ domain: SecTrustSettingsDomain, _ trustSettings: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    CallStatus.of("SecTrustSettingsCreateExternalRepresentation") { () throws(KeychainError) in
        trustSettings.pointee = ResultObject.make(try TrustSettingsCalls.external(domain)) as? NSData
    }
}

/// Replaces all trust settings of a domain with those of a property list; nothing changes where a part of it is
/// invalid.
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

/// Reads the pairs of a dictionary, or of each dictionary of an array.
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
