import ChatelaineIPC
import ChatelaineModel
import CoreFoundation
import Foundation

/// Copies the chain of an evaluation: the evaluated certificate first, then its issuers.
///
/// The call evaluates the certificate if that was not done.
@discardableResult
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? {
    SecTrustResult.of("SecTrustCopyCertificateChain") { () throws(KeychainError) in
        try TrustCalls.chain(of: trust) as NSArray
    }
}

/// Returns the number of certificates in the chain; 0 where the evaluation is impossible.
@discardableResult
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex {
    SecTrustResult.of("SecTrustGetCertificateCount") { () throws(KeychainError) in
        try TrustCalls.chain(of: trust).count
    } ?? 0
}

/// Returns one certificate of the chain; nil beyond the last.
@discardableResult
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
    SecTrustResult.of("SecTrustGetCertificateAtIndex") { () throws(KeychainError) in
        let chain = try TrustCalls.chain(of: trust)
        guard chain.indices.contains(ix) else { throw KeychainError(.param, "the chain has no certificate \(ix)") }
        return chain[ix]
    }
}

/// Returns the public key of the evaluated certificate, trusted or not; nil where the key cannot be read.
@discardableResult
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
    SecTrustResult.of("SecTrustCopyKey") { () throws(KeychainError) in try TrustCalls.key(of: trust) }
}

/// The former name of ``SecTrustCopyKey(_:)``.
@discardableResult
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// Copies the time and the result of the evaluation; nil where there was none.
@discardableResult
public func SecTrustCopyResult(_ trust: SecTrust) -> CFDictionary? {
    TrustCalls.details(of: trust).flatMap { ResultObject.make($0) as? NSDictionary }
}

/// Copies a name for each certificate of the chain, and its first defect.
@discardableResult
public func SecTrustCopyProperties(_ trust: SecTrust) -> CFArray? {
    SecTrustResult.of("SecTrustCopyProperties") { () throws(KeychainError) in
        ResultObject.make(try TrustCalls.properties(of: trust)) as? NSArray
    } ?? nil
}

/// Copies the defects of the certificate as exceptions, which later evaluations of the same certificate can ignore.
@discardableResult
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? {
    SecTrustResult.of("SecTrustCopyExceptions") { () throws(KeychainError) in
        ResultObject.make(try TrustCalls.exceptions(of: trust)) as? NSData
    } ?? nil
}

/// Sets the exceptions from ``SecTrustCopyExceptions(_:)``, whose defects an evaluation ignores; nil removes them.
///
/// - Returns: false for nil, for other data, and for exceptions of another certificate.
@discardableResult
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool {
    TrustCalls.setExceptions(exceptions.map { [UInt8](Data(referencing: $0)) }, of: trust)
}

extension SecTrustResultType {
    package static func of(_ result: TrustVerdict.Result) -> SecTrustResultType {
        switch result {
        case .invalid: .invalid
        case .proceed: .proceed
        case .deny: .deny
        case .unspecified: .unspecified
        case .recoverableTrustFailure: .recoverableTrustFailure
        case .fatalTrustFailure: .fatalTrustFailure
        case .otherError: .otherError
        }
    }
}

/// Runs calls that return nil on failure, and reads arguments that are one object or an array.
enum SecTrustResult {
    static func of<Answer>(_ name: StaticString, _ body: () throws(KeychainError) -> Answer) -> Answer? {
        do throws(KeychainError) { return try body() } catch {
            FailureReport.write(name, error)
            return nil
        }
    }

    /// - Throws: `errSecParam` where an object is of another type.
    static func objects<Object: AnyObject>(_ argument: CFTypeRef) throws(KeychainError) -> [Object] {
        if let object = argument as? Object { return [object] }
        guard let array = argument as? NSArray, array.count <= TrustLimits.maximumCertificates else {
            throw KeychainError(.param, "an argument is neither of the type that it has to be, nor an array of such")
        }
        var objects: [Object] = []
        for element in array {
            guard let object = element as? Object else {
                throw KeychainError(.param, "an element of an array is not of the type that it has to be")
            }
            objects.append(object)
        }
        return objects
    }
}

/// A function of the program that is called once, on the queue that the program has named for it.
// PROOF for @unchecked Sendable: it is handed on to that queue, and nobody calls or keeps it on the way.
struct OnceCalled<Body>: @unchecked Sendable {
    let body: Body

    init(_ body: Body) { self.body = body }
}
