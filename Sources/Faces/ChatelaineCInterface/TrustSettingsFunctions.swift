import CChatelaineFoundation
import ChatelaineModel
import Security

/// `SecTrustSettingsCopyCertificates` of `Security/SecTrustSettings.h`.
@_cdecl("SecTrustSettingsCopyCertificates")
public func trustSettingsCopyCertificates(
    _ domain: UInt32, _ certificates: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecTrustSettingsCopyCertificates") { () throws(KeychainError) in
        let all = try TrustSettingsCalls.certificates(try TrustSettingsCalls.domain(domain))
        guard let certificates else { return }
        certificates.pointee = try ForeignObject.make(all, .certificate)
    }
}

/// `SecTrustSettingsCopyTrustSettings` of `Security/SecTrustSettings.h`.
@_cdecl("SecTrustSettingsCopyTrustSettings")
public func trustSettingsCopyTrustSettings(
    _ certificate: UnsafeRawPointer?, _ domain: UInt32, _ settings: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecTrustSettingsCopyTrustSettings") { () throws(KeychainError) in
        let place = try ForeignObject.required(settings)
        try ForeignResult.put(
            try TrustSettingsCalls.settings(
                of: try ForeignObject.content(certificate, .certificate), try TrustSettingsCalls.domain(domain)),
            at: place)
    }
}

/// `SecTrustSettingsCopyModificationDate` of `Security/SecTrustSettings.h`.
@_cdecl("SecTrustSettingsCopyModificationDate")
public func trustSettingsCopyModificationDate(
    _ certificate: UnsafeRawPointer?, _ domain: UInt32, _ date: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecTrustSettingsCopyModificationDate") { () throws(KeychainError) in
        let place = try ForeignObject.required(date)
        try ForeignResult.put(
            try TrustSettingsCalls.modificationDate(
                of: try ForeignObject.content(certificate, .certificate), try TrustSettingsCalls.domain(domain)),
            at: place)
    }
}

/// `SecTrustSettingsSetTrustSettings` of `Security/SecTrustSettings.h`.
@_cdecl("SecTrustSettingsSetTrustSettings")
public func trustSettingsSetTrustSettings(
    _ certificate: UnsafeRawPointer?, _ domain: UInt32, _ settings: UnsafeRawPointer?
) -> OSStatus {
    CallStatus.of("SecTrustSettingsSetTrustSettings") { () throws(KeychainError) in
        try TrustSettingsCalls.set(
            try ForeignObject.content(certificate, .certificate), try TrustSettingsCalls.domain(domain),
            try dictionaries(settings))
    }
}

/// `SecTrustSettingsRemoveTrustSettings` of `Security/SecTrustSettings.h`.
@_cdecl("SecTrustSettingsRemoveTrustSettings")
public func trustSettingsRemoveTrustSettings(_ certificate: UnsafeRawPointer?, _ domain: UInt32) -> OSStatus {
    CallStatus.of("SecTrustSettingsRemoveTrustSettings") { () throws(KeychainError) in
        try TrustSettingsCalls.remove(
            try ForeignObject.content(certificate, .certificate), try TrustSettingsCalls.domain(domain))
    }
}

/// `SecTrustSettingsCreateExternalRepresentation` of `Security/SecTrustSettings.h`.
@_cdecl("SecTrustSettingsCreateExternalRepresentation")
public func trustSettingsCreateExternalRepresentation(
    _ domain: UInt32, _ settings: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecTrustSettingsCreateExternalRepresentation") { () throws(KeychainError) in
        let place = try ForeignObject.required(settings)
        try ForeignResult.put(
            try TrustSettingsCalls.external(try TrustSettingsCalls.domain(domain)), at: place)
    }
}

/// `SecTrustSettingsImportExternalRepresentation` of `Security/SecTrustSettings.h`.
@_cdecl("SecTrustSettingsImportExternalRepresentation")
public func trustSettingsImportExternalRepresentation(_ domain: UInt32, _ settings: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecTrustSettingsImportExternalRepresentation") { () throws(KeychainError) in
        try TrustSettingsCalls.importExternal(
            ForeignValue.meaning(of: settings), try TrustSettingsCalls.domain(domain))
    }
}

/// Reads the pairs of a dictionary, or of each dictionary of an array.
private func dictionaries(_ argument: UnsafeRawPointer?) throws(KeychainError) -> [[ItemCalls.Pair]] {
    guard let argument else { return [] }
    var value = chatelaine_value()
    guard chatelaine_object_take(argument, &value) else { throw TrustSettingsCalls.noSettings }
    defer { chatelaine_object_free(&value) }
    guard Int(value.kind) == CHATELAINE_VALUE_ARRAY else {
        return [try ForeignDictionary.pairs(of: argument, isElement: true)]
    }
    guard value.count <= TrustLimits.maximumConstraints else { throw TrustSettingsCalls.noSettings }
    var all: [[ItemCalls.Pair]] = []
    // SAFETY: there are `count` elements, which live until the value is freed.
    for element in UnsafeBufferPointer(start: value.elements, count: value.count) {
        guard Int(element.kind) == CHATELAINE_VALUE_NATIVE, let object = element.object else {
            throw TrustSettingsCalls.noSettings
        }
        all.append(try ForeignDictionary.pairs(of: object, isElement: true))
    }
    return all
}
