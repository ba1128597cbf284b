import CChatelaineFoundation
import ChatelaineIPC
import ChatelaineModel
import Foundation
import Security

/// `SecTrustCopyCertificateChain` of `Security/SecTrust.h`.
@_cdecl("SecTrustCopyCertificateChain")
public func trustCopyCertificateChain(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignTrust.answer("SecTrustCopyCertificateChain") { () throws(KeychainError) in
        try ForeignObject.make(try TrustCalls.chain(of: try ForeignObject.content(trust, .trust)), .certificate)
    }
}

/// `SecTrustGetCertificateCount` of `Security/SecTrust.h`.
@_cdecl("SecTrustGetCertificateCount")
public func trustGetCertificateCount(_ trust: UnsafeRawPointer?) -> Int {
    ForeignTrust.answer("SecTrustGetCertificateCount") { () throws(KeychainError) in
        try TrustCalls.chain(of: try ForeignObject.content(trust, .trust)).count
    } ?? 0
}

/// `SecTrustGetCertificateAtIndex` of `Security/SecTrust.h`; the evaluation owns the returned certificate.
@_cdecl("SecTrustGetCertificateAtIndex")
public func trustGetCertificateAtIndex(_ trust: UnsafeRawPointer?, _ index: Int) -> UnsafeRawPointer? {
    ForeignTrust.answer("SecTrustGetCertificateAtIndex") { () throws(KeychainError) in
        let trust: SecTrust = try ForeignObject.content(trust, .trust)
        let chain = try TrustCalls.chain(of: trust)
        guard chain.indices.contains(index) else {
            throw KeychainError(.param, "the chain has no certificate \(index)")
        }
        return try KeptObject.certificate(chain[index], by: trust).object
    }
}

/// `SecTrustCopyKey` of `Security/SecTrust.h`.
@_cdecl("SecTrustCopyKey")
public func trustCopyKey(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignTrust.answer("SecTrustCopyKey") { () throws(KeychainError) in
        try ForeignObject.make(try TrustCalls.key(of: try ForeignObject.content(trust, .trust)), .key)
    }
}

/// `SecTrustCopyPublicKey` of `Security/SecTrust.h`.
@_cdecl("SecTrustCopyPublicKey")
public func trustCopyPublicKey(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? { trustCopyKey(trust) }

/// `SecTrustCopyResult` of `Security/SecTrust.h`.
@_cdecl("SecTrustCopyResult")
public func trustCopyResult(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignTrust.answer("SecTrustCopyResult") { () throws(KeychainError) in
        guard let details = TrustCalls.details(of: try ForeignObject.content(trust, .trust)) else {
            throw KeychainError(.trustNotAvailable, "it was not evaluated")
        }
        return try ForeignResult.make(details)
    }
}

/// `SecTrustCopyProperties` of `Security/SecTrust.h`.
@_cdecl("SecTrustCopyProperties")
public func trustCopyProperties(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignTrust.answer("SecTrustCopyProperties") { () throws(KeychainError) in
        try ForeignResult.make(try TrustCalls.properties(of: try ForeignObject.content(trust, .trust)))
    }
}

/// `SecTrustCopyExceptions` of `Security/SecTrust.h`.
@_cdecl("SecTrustCopyExceptions")
public func trustCopyExceptions(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignTrust.answer("SecTrustCopyExceptions") { () throws(KeychainError) in
        try ForeignResult.make(try TrustCalls.exceptions(of: try ForeignObject.content(trust, .trust)))
    }
}

/// `SecTrustSetExceptions` of `Security/SecTrust.h`.
@_cdecl("SecTrustSetExceptions")
public func trustSetExceptions(_ trust: UnsafeRawPointer?, _ exceptions: UnsafeRawPointer?) -> Bool {
    ForeignTrust.answer("SecTrustSetExceptions") { () throws(KeychainError) in
        let trust: SecTrust = try ForeignObject.content(trust, .trust)
        guard exceptions != nil else { return TrustCalls.setExceptions(nil, of: trust) }
        guard case .data(let data) = ForeignValue.meaning(of: exceptions) else { return false }
        return TrustCalls.setExceptions(data, of: trust)
    } ?? false
}

/// Reads evaluations and the other arguments of C programs' calls about them.
enum ForeignTrust {
    static func answer<Answer>(_ name: StaticString, _ body: () throws(KeychainError) -> Answer) -> Answer? {
        do throws(KeychainError) { return try body() } catch {
            FailureReport.write(name, error)
            return nil
        }
    }

    static func status(
        _ name: StaticString, _ trust: UnsafeRawPointer?, _ body: (SecTrust) throws(KeychainError) -> Void
    ) -> OSStatus {
        CallStatus.of(name) { () throws(KeychainError) in
            let trust: SecTrust = try ForeignObject.content(trust, .trust)
            try body(trust)
        }
    }

    /// Reads one object, or the objects of an array.
    static func objects<Content: NSObject>(
        _ argument: UnsafeRawPointer?, _ type: BoxType
    ) throws(KeychainError) -> [Content] {
        let single: Content? = try? ForeignObject.content(argument, type)
        if let single { return [single] }
        let tooMany = KeychainError(.param, "there are more than \(limit) objects in an array")
        guard let all: [Content] = try ForeignObject.contents(argument, type, limit: limit, tooMany: tooMany) else {
            throw KeychainError(.param, "an argument is null")
        }
        return all
    }

    private static let limit = Int(CHATELAINE_LIST_LIMIT) - 1
}

/// A CoreFoundation object that an evaluation returned, and that lives as long as the evaluation.
// PROOF for @unchecked Sendable: the pointer is written once, and any thread may release an object.
private final class KeptObject: @unchecked Sendable {
    let object: UnsafeRawPointer

    private init(_ object: UnsafeRawPointer) { self.object = object }

    deinit { chatelaine_release(object) }

    static func certificate(_ certificate: SecCertificate, by trust: SecTrust) throws(KeychainError) -> KeptObject {
        let key = certificate.hash
        if let kept = trust.kept.withLock({ $0[key] }) as? KeptObject { return kept }
        let made = KeptObject(try ForeignObject.make(certificate, .certificate))
        return trust.kept.withLock { kept in
            if let earlier = kept[key] as? KeptObject { return earlier }
            kept[key] = made
            return made
        }
    }
}
