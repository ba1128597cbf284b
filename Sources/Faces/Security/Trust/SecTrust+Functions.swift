import ChatelaineIPC
import ChatelaineModel
import CoreFoundation
import Dispatch
import Foundation

/// Makes an evaluation of a certificate.
///
/// - Parameters:
///   - certificates: a certificate, or an array: the one that is judged first, then others that may belong to its chain, in any order.
///   - policies: a policy, or an array; nil for the basic one.
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

/// Sets what the certificate has to be good for, in place of what was asked before.
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

/// Says whether a certificate is to be trusted.
///
/// Where a server is asked it takes as long as that, some seconds at the most (``SecTrustSetNetworkFetchAllowed(_:_:)``).
///
/// - Parameter error: where the first reason against it goes, in the domain `kCFErrorDomainOSStatus`; may be nil.
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

/// The same, with no queue of the program's held up meanwhile; `result` is called on `queue`.
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

/// Evaluates, and says what came of it by its number; ``SecTrustEvaluateWithError(_:_:)`` says why.
///
/// - Returns: `errSecNotAvailable` where securityd is not there.
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    CallStatus.of("SecTrustEvaluate") { () throws(KeychainError) in
        result.pointee = .of(try TrustCalls.verdict(of: trust).result)
    }
}

/// The same, with no queue of the program's held up meanwhile; `result` is called on `queue`, the main one where it is nil.
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

/// What came of the last evaluation; `invalid` where there was none since the last change.
@discardableResult
public func SecTrustGetTrustResult(
    _ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>
) -> OSStatus {
    result.pointee = .of(TrustCalls.result(of: trust))
    return errSecSuccess
}

/// Has certificates count as anchors, and no others unless ``SecTrustSetAnchorCertificatesOnly(_:_:)`` says so; nil for those of the system.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
    CallStatus.of("SecTrustSetAnchorCertificates") { () throws(KeychainError) in
        let anchors = try anchorCertificates.map { (array) throws(KeychainError) -> [SecCertificate] in
            try SecTrustResult.objects(array)
        }
        TrustCalls.setAnchors(anchors, of: trust)
    }
}

/// Says whether the program's own anchors are the only ones.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    TrustCalls.setOwnAnchorsOnly(anchorCertificatesOnly, of: trust)
    return errSecSuccess
}

/// Copies the anchors that the program has set; nil where it has set none.
@discardableResult
public func SecTrustCopyCustomAnchorCertificates(
    _ trust: SecTrust, _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    anchors.pointee = TrustCalls.anchors(of: trust).map { $0 as NSArray }
    return errSecSuccess
}

/// Copies the certificates that the system trusts: those of the distribution's file.
@discardableResult
public func SecTrustCopyAnchorCertificates(_ anchors: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    CallStatus.of("SecTrustCopyAnchorCertificates") { () throws(KeychainError) in
        anchors.pointee = try TrustCalls.systemRoots() as NSArray
    }
}

/// Sets the moment for which certificates have to be valid.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
    TrustCalls.setDate(verifyDate.timeIntervalSinceReferenceDate, of: trust)
    return errSecSuccess
}

/// That moment, in seconds since 2001; now where none was set.
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime { TrustCalls.verifyTime(of: trust) }

/// Says whether an evaluation may have servers asked that the certificates name: for an issuer that lacks, and, by a policy of revocation, for answers.
///
/// Unless it is said, issuers are asked for where there is a policy of TLS, and answers by each policy of revocation.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
    TrustCalls.setFetching(allowFetch, of: trust)
    return errSecSuccess
}

/// What was said of the network; where nothing was, whether there is a policy of TLS.
@discardableResult
public func SecTrustGetNetworkFetchAllowed(
    _ trust: SecTrust, _ allowFetch: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    allowFetch.pointee = DarwinBoolean(TrustCalls.allowsFetching(trust))
    return errSecSuccess
}

/// Gives what a server has sent along about revocation: data in DER, or an array of them; nil for none.
@discardableResult
public func SecTrustSetOCSPResponse(_ trust: SecTrust, _ responseData: CFTypeRef?) -> OSStatus {
    CallStatus.of("SecTrustSetOCSPResponse") { () throws(KeychainError) in
        try TrustCalls.setResponses(responseData.map { QueryDictionary.value($0, isSecret: false) }, of: trust)
    }
}

/// Where evaluations wait that a program does not wait for: servers may be asked in the course of one.
private enum EvaluationQueue {
    /// One of the places for long calls is left for those that a program waits for.
    static let shared: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "chatelaine.trust"
        queue.maxConcurrentOperationCount = ClientLimits.longCalls - 1
        return queue
    }()
}
