import ChatelaineIPC
import ChatelaineModel
import Security

/// `SecTrustCreateWithCertificates` of `Security/SecTrust.h`.
@_cdecl("SecTrustCreateWithCertificates")
public func trustCreateWithCertificates(
    _ certificates: UnsafeRawPointer?, _ policies: UnsafeRawPointer?, _ trust: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecTrustCreateWithCertificates") { () throws(KeychainError) in
        let place = try ForeignObject.required(trust)
        let policies: [SecPolicy] = policies == nil ? [] : try ForeignTrust.objects(policies, .policy)
        place.pointee = try ForeignObject.make(
            try TrustCalls.make(try ForeignTrust.objects(certificates, .certificate), policies), .trust)
    }
}

/// `SecTrustSetPolicies` of `Security/SecTrust.h`.
@_cdecl("SecTrustSetPolicies")
public func trustSetPolicies(_ trust: UnsafeRawPointer?, _ policies: UnsafeRawPointer?) -> OSStatus {
    ForeignTrust.status("SecTrustSetPolicies", trust) { (trust) throws(KeychainError) in
        try TrustCalls.setPolicies(try ForeignTrust.objects(policies, .policy), of: trust)
    }
}

/// `SecTrustCopyPolicies` of `Security/SecTrust.h`.
@_cdecl("SecTrustCopyPolicies")
public func trustCopyPolicies(
    _ trust: UnsafeRawPointer?, _ policies: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    ForeignTrust.status("SecTrustCopyPolicies", trust) { (trust) throws(KeychainError) in
        try ForeignObject.required(policies).pointee = try ForeignObject.make(
            TrustCalls.policies(of: trust), .policy)
    }
}

/// `SecTrustEvaluateWithError` of `Security/SecTrust.h`.
@_cdecl("SecTrustEvaluateWithError")
public func trustEvaluateWithError(
    _ trust: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Bool {
    do throws(KeychainError) {
        try TrustCalls.evaluate(try ForeignObject.content(trust, .trust))
        error?.pointee = nil
        return true
    } catch let failure {
        FailureReport.write("SecTrustEvaluateWithError", failure)
        error?.pointee = ForeignResult.error(failure)
        return false
    }
}

/// `SecTrustEvaluate` of `Security/SecTrust.h`.
@_cdecl("SecTrustEvaluate")
public func trustEvaluate(_ trust: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UInt32>?) -> OSStatus {
    ForeignTrust.status("SecTrustEvaluate", trust) { (trust) throws(KeychainError) in
        try ForeignObject.required(result).pointee = UInt32(try TrustCalls.verdict(of: trust).result.rawValue)
    }
}

/// `SecTrustGetTrustResult` of `Security/SecTrust.h`.
@_cdecl("SecTrustGetTrustResult")
public func trustGetTrustResult(_ trust: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UInt32>?) -> OSStatus {
    ForeignTrust.status("SecTrustGetTrustResult", trust) { (trust) throws(KeychainError) in
        try ForeignObject.required(result).pointee = UInt32(TrustCalls.result(of: trust).rawValue)
    }
}

/// `SecTrustSetAnchorCertificates` of `Security/SecTrust.h`.
@_cdecl("SecTrustSetAnchorCertificates")
public func trustSetAnchorCertificates(_ trust: UnsafeRawPointer?, _ anchors: UnsafeRawPointer?) -> OSStatus {
    ForeignTrust.status("SecTrustSetAnchorCertificates", trust) { (trust) throws(KeychainError) in
        TrustCalls.setAnchors(anchors == nil ? nil : try ForeignTrust.objects(anchors, .certificate), of: trust)
    }
}

/// `SecTrustSetAnchorCertificatesOnly` of `Security/SecTrust.h`.
@_cdecl("SecTrustSetAnchorCertificatesOnly")
public func trustSetAnchorCertificatesOnly(_ trust: UnsafeRawPointer?, _ only: UInt8) -> OSStatus {
    ForeignTrust.status("SecTrustSetAnchorCertificatesOnly", trust) { (trust) throws(KeychainError) in
        TrustCalls.setOwnAnchorsOnly(only != 0, of: trust)
    }
}

/// `SecTrustCopyCustomAnchorCertificates` of `Security/SecTrust.h`.
@_cdecl("SecTrustCopyCustomAnchorCertificates")
public func trustCopyCustomAnchorCertificates(
    _ trust: UnsafeRawPointer?, _ anchors: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    ForeignTrust.status("SecTrustCopyCustomAnchorCertificates", trust) { (trust) throws(KeychainError) in
        let place = try ForeignObject.required(anchors)
        guard let own = TrustCalls.anchors(of: trust) else { return place.pointee = nil }
        place.pointee = try ForeignObject.make(own, .certificate)
    }
}

/// `SecTrustCopyAnchorCertificates` of `Security/SecTrust.h`.
@_cdecl("SecTrustCopyAnchorCertificates")
public func trustCopyAnchorCertificates(_ anchors: UnsafeMutablePointer<UnsafeRawPointer?>?) -> OSStatus {
    CallStatus.of("SecTrustCopyAnchorCertificates") { () throws(KeychainError) in
        let place = try ForeignObject.required(anchors)
        place.pointee = try ForeignObject.make(try TrustCalls.systemRoots(), .certificate)
    }
}

/// `SecTrustSetVerifyDate` of `Security/SecTrust.h`.
@_cdecl("SecTrustSetVerifyDate")
public func trustSetVerifyDate(_ trust: UnsafeRawPointer?, _ date: UnsafeRawPointer?) -> OSStatus {
    ForeignTrust.status("SecTrustSetVerifyDate", trust) { (trust) throws(KeychainError) in
        guard case .date(let seconds) = ForeignValue.meaning(of: date) else {
            throw KeychainError(.param, "the moment of an evaluation is no CFDate")
        }
        try TrustCalls.setDate(seconds, of: trust)
    }
}

/// `SecTrustGetVerifyTime` of `Security/SecTrust.h`; 0 for an object that is no evaluation.
@_cdecl("SecTrustGetVerifyTime")
public func trustGetVerifyTime(_ trust: UnsafeRawPointer?) -> Double {
    ForeignTrust.answer("SecTrustGetVerifyTime") { () throws(KeychainError) in
        TrustCalls.verifyTime(of: try ForeignObject.content(trust, .trust))
    } ?? 0
}

/// `SecTrustSetNetworkFetchAllowed` of `Security/SecTrust.h`.
@_cdecl("SecTrustSetNetworkFetchAllowed")
public func trustSetNetworkFetchAllowed(_ trust: UnsafeRawPointer?, _ isAllowed: UInt8) -> OSStatus {
    ForeignTrust.status("SecTrustSetNetworkFetchAllowed", trust) { (trust) throws(KeychainError) in
        TrustCalls.setFetching(isAllowed != 0, of: trust)
    }
}

/// `SecTrustGetNetworkFetchAllowed` of `Security/SecTrust.h`.
@_cdecl("SecTrustGetNetworkFetchAllowed")
public func trustGetNetworkFetchAllowed(
    _ trust: UnsafeRawPointer?, _ isAllowed: UnsafeMutablePointer<UInt8>?
) -> OSStatus {
    ForeignTrust.status("SecTrustGetNetworkFetchAllowed", trust) { (trust) throws(KeychainError) in
        try ForeignObject.required(isAllowed).pointee = TrustCalls.allowsFetching(trust) ? 1 : 0
    }
}

/// `SecTrustSetOptions` of `Security/SecTrust.h`.
@_cdecl("SecTrustSetOptions")
public func trustSetOptions(_ trust: UnsafeRawPointer?, _ options: UInt32) -> OSStatus {
    ForeignTrust.status("SecTrustSetOptions", trust) { (trust) throws(KeychainError) in
        try TrustCalls.setOptions(UInt64(options), of: trust)
    }
}

/// `SecTrustSetKeychains` of `Security/SecTrust.h`.
@_cdecl("SecTrustSetKeychains")
public func trustSetKeychains(_ trust: UnsafeRawPointer?, _ keychainOrArray: UnsafeRawPointer?) -> OSStatus {
    ForeignTrust.status("SecTrustSetKeychains", trust) { (trust) throws(KeychainError) in
        TrustCalls.setKeychains(try KeychainObjects.named(keychainOrArray), of: trust)
    }
}

/// `SecTrustSetOCSPResponse` of `Security/SecTrust.h`.
@_cdecl("SecTrustSetOCSPResponse")
public func trustSetOCSPResponse(_ trust: UnsafeRawPointer?, _ response: UnsafeRawPointer?) -> OSStatus {
    ForeignTrust.status("SecTrustSetOCSPResponse", trust) { (trust) throws(KeychainError) in
        try TrustCalls.setResponses(response.map { ForeignValue.meaning(of: $0) }, of: trust)
    }
}
