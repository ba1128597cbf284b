import ChatelaineIPC
import ChatelaineModel
import CoreFoundation
import Dispatch
import Foundation

/// Makes a trust evaluation of a certificate.
///
/// - Parameters:
///   - certificates: a certificate, or an array: the evaluated certificate first, then others that may belong to its
///     chain, in any order.
///   - policies: a policy, or an array of policies; nil for the basic policy.
/// - Returns: `errSecParam` for anything else.
@discardableResult
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
    CallStatus.of("SecTrustCreateWithCertificates") { () throws(KeychainError) in
        trust.pointee = try TrustCalls.make(
            try SecTrustResult.objects(certificates), try policies.map(SecTrustResult.objects) ?? [])
    }
}

/// Replaces the policies of an evaluation.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    CallStatus.of("SecTrustSetPolicies") { () throws(KeychainError) in
        try TrustCalls.setPolicies(try SecTrustResult.objects(policies), of: trust)
    }
}

/// Copies the policies of an evaluation.
@discardableResult
public func SecTrustCopyPolicies(_ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    policies.pointee = TrustCalls.policies(of: trust) as NSArray
    return errSecSuccess
}

/// Evaluates a certificate and returns whether it is trusted.
///
/// The call blocks while servers are asked, for some seconds at the most (``SecTrustSetNetworkFetchAllowed(_:_:)``).
///
/// - Parameter error: receives the most serious reason against the certificate, in the domain
///   `kCFErrorDomainOSStatus`, and as its underlying error one that names all reasons; may be nil.
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    do throws(KeychainError) {
        try TrustCalls.evaluate(trust)
        error?.pointee = nil
        return true
    } catch let failure {
        FailureReport.write("SecTrustEvaluateWithError", failure)
        error?.pointee = ResultObject.error(failure)
        return false
    }
}

public typealias SecTrustCallback = (SecTrust, SecTrustResultType) -> Void
public typealias SecTrustWithErrorCallback = (SecTrust, Bool, CFError?) -> Void

/// Evaluates a certificate without blocking `queue`, and calls `result` on it.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
    _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
    let result = OnceCalled(result)
    EvaluationQueue.shared.addOperation {
        let failure = TrustCalls.failure(of: trust)
        if let failure { FailureReport.write("SecTrustEvaluateAsyncWithError", failure) }
        queue.async { result.body(trust, failure == nil, failure.map { ResultObject.error($0) }) }
    }
    return errSecSuccess
}

/// Evaluates a certificate and returns the result type; ``SecTrustEvaluateWithError(_:_:)`` also returns the reason.
///
/// - Returns: `errSecNotAvailable` where securityd does not run.
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    CallStatus.of("SecTrustEvaluate") { () throws(KeychainError) in
        result.pointee = .of(try TrustCalls.verdict(of: trust).result)
    }
}

/// Evaluates a certificate without blocking `queue`, and calls `result` on it; nil means the main queue.
@discardableResult
public func SecTrustEvaluateAsync(
    _ trust: SecTrust, _ queue: DispatchQueue?, _ result: @escaping SecTrustCallback
) -> OSStatus {
    let result = OnceCalled(result)
    let answers = queue ?? .main
    EvaluationQueue.shared.addOperation {
        var value = SecTrustResultType.otherError
        _ = SecTrustEvaluate(trust, &value)
        let found = value
        answers.async { result.body(trust, found) }
    }
    return errSecSuccess
}

/// Returns the result of the last evaluation; `invalid` where none was made since the last change.
@discardableResult
public func SecTrustGetTrustResult(
    _ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>
) -> OSStatus {
    result.pointee = .of(TrustCalls.result(of: trust))
    return errSecSuccess
}

/// Sets the anchors of an evaluation; nil restores those of the system.
///
/// The set certificates are the only anchors, unless ``SecTrustSetAnchorCertificatesOnly(_:_:)`` says otherwise.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
    CallStatus.of("SecTrustSetAnchorCertificates") { () throws(KeychainError) in
        let anchors = try anchorCertificates.map { (array) throws(KeychainError) -> [SecCertificate] in
            try SecTrustResult.objects(array)
        }
        TrustCalls.setAnchors(anchors, of: trust)
    }
}

/// Sets whether the program's own anchors are the only ones.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    TrustCalls.setOwnAnchorsOnly(anchorCertificatesOnly, of: trust)
    return errSecSuccess
}

/// Copies the anchors that the program has set; nil where it has not set any.
@discardableResult
public func SecTrustCopyCustomAnchorCertificates(
    _ trust: SecTrust, _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    anchors.pointee = TrustCalls.anchors(of: trust).map { $0 as NSArray }
    return errSecSuccess
}

/// Copies the certificates that the system trusts: those in the distribution's file.
@discardableResult
public func SecTrustCopyAnchorCertificates(_ anchors: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    CallStatus.of("SecTrustCopyAnchorCertificates") { () throws(KeychainError) in
        anchors.pointee = try TrustCalls.systemRoots() as NSArray
    }
}

/// Sets the time at which the certificates must be valid.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
    CallStatus.of("SecTrustSetVerifyDate") { () throws(KeychainError) in
        try TrustCalls.setDate(verifyDate.timeIntervalSinceReferenceDate, of: trust)
    }
}

/// Returns the time at which the certificates must be valid, in seconds since 2001; the current time where none was
/// set.
@discardableResult
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime { TrustCalls.verifyTime(of: trust) }

/// Sets whether an evaluation may ask the servers that the certificates name.
///
/// They are asked for a missing issuer and, with a revocation policy, for answers. By default, issuers are fetched
/// with a policy for TLS, and answers with every revocation policy.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
    TrustCalls.setFetching(allowFetch, of: trust)
    return errSecSuccess
}

/// Returns whether an evaluation may use the network; where this was not set, whether there is a policy for TLS.
@discardableResult
public func SecTrustGetNetworkFetchAllowed(
    _ trust: SecTrust, _ allowFetch: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    allowFetch.pointee = DarwinBoolean(TrustCalls.allowsFetching(trust))
    return errSecSuccess
}

/// Sets the OCSP responses that a server has sent: data in DER, or an array of data; nil for none.
@discardableResult
public func SecTrustSetOCSPResponse(_ trust: SecTrust, _ responseData: CFTypeRef?) -> OSStatus {
    CallStatus.of("SecTrustSetOCSPResponse") { () throws(KeychainError) in
        try TrustCalls.setResponses(responseData.map { QueryDictionary.value($0, isSecret: false) }, of: trust)
    }
}

/// The queue of asynchronous evaluations, which may wait for servers.
private enum EvaluationQueue {
    /// Leaves one of the places for long calls to evaluations that a program waits for.
    static let shared: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "chatelaine.trust"
        queue.maxConcurrentOperationCount = ClientLimits.longCalls - 1
        return queue
    }()
}
