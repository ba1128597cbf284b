import ChatelaineIPC
import ChatelaineModel
import CoreFoundation
import Foundation

/// Copies the chain that was found: the certificate that is judged first, its issuers after it. It is evaluated where that was not done.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? {
    SecTrustResult.of("SecTrustCopyCertificateChain") { () throws(KeychainError) in
        try TrustCalls.chain(of: trust) as NSArray
    }
}

/// The number of its certificates; 0 where nobody can look.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex {
    SecTrustResult.of("SecTrustGetCertificateCount") { () throws(KeychainError) in
        try TrustCalls.chain(of: trust).count
    } ?? 0
}

/// One of its certificates; nil beyond the last.
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
    SecTrustResult.of("SecTrustGetCertificateAtIndex") { () throws(KeychainError) in
        let chain = try TrustCalls.chain(of: trust)
        guard chain.indices.contains(ix) else { throw KeychainError(.param, "the chain has no certificate \(ix)") }
        return chain[ix]
    }
}

/// The public key of the certificate that is judged, trusted or not; nil where it cannot be read.
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
    SecTrustResult.of("SecTrustCopyKey") { () throws(KeychainError) in try TrustCalls.key(of: trust) }
}

/// The same, by its former name.
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// Copies when it was evaluated and what came of it; nil where it was not.
public func SecTrustCopyResult(_ trust: SecTrust) -> CFDictionary? {
    TrustCalls.details(of: trust).flatMap { ResultObject.make($0) as? NSDictionary }
}

/// Copies a name for each certificate of the chain, and what is wrong with it.
public func SecTrustCopyProperties(_ trust: SecTrust) -> CFArray? {
    SecTrustResult.of("SecTrustCopyProperties") { () throws(KeychainError) in
        ResultObject.make(try TrustCalls.properties(of: trust)) as? NSArray
    } ?? nil
}

/// Copies what is wrong with the certificate, to be content with that in later evaluations of it.
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? {
    SecTrustResult.of("SecTrustCopyExceptions") { () throws(KeychainError) in
        ResultObject.make(try TrustCalls.exceptions(of: trust)) as? NSData
    } ?? nil
}

/// Has defects be passed over that ``SecTrustCopyExceptions(_:)`` has copied; nil has none passed over.
///
/// - Returns: false for nil, for other data, and for those of another certificate.
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

/// Calls that answer nothing where they fail, and arguments that are one object or an array.
enum SecTrustResult {
    static func of<Answer>(_ name: StaticString, _ body: () throws(KeychainError) -> Answer) -> Answer? {
        do throws(KeychainError) { return try body() } catch {
            FailureReport.write(name, error)
            return nil
        }
    }

    /// - Throws: `errSecParam` where one is something else.
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

/// A function of a program's that is called once, on the queue that the program has named for it.
// PROOF for @unchecked Sendable: it is handed on to that queue, and nobody calls or keeps it on the way.
struct OnceCalled<Body>: @unchecked Sendable {
    let body: Body

    init(_ body: Body) { self.body = body }
}
