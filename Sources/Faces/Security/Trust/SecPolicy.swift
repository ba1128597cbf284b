import ChatelaineModel
import ChatelaineSystem
import Foundation

/// What a certificate has to be good for.
///
/// Any thread may use it. Two are equal when they ask for the same. ``SecPolicySetProperties(_:_:)`` changes one; evaluations that were made with it before
/// go on with what it was.
public final class SecPolicy: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 268

    private let current: AdaptiveMutex<TrustPolicy>

    package var policy: TrustPolicy { current.withLock { $0 } }

    package init(_ policy: TrustPolicy) { current = AdaptiveMutex(policy) }

    package func change(_ body: (inout TrustPolicy) throws(KeychainError) -> Void) throws(KeychainError) {
        try current.withLock { (policy) throws(KeychainError) in try body(&policy) }
    }

    /// Of what never changes.
    public override var hash: Int { policy.purpose.hashValue }

    public override func isEqual(_ object: Any?) -> Bool { (object as? SecPolicy)?.policy == policy }

    public override var description: String { "<SecPolicy: \(policy.purpose.identifier)>" }
}

/// The type identifier of ``SecPolicy`` objects.
public func SecPolicyGetTypeID() -> CFTypeID { SecPolicy.cfTypeID }

/// A policy by which a chain is looked at for itself, whatever it is used for.
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(TrustPolicy(.basic)) }

/// A policy of TLS.
///
/// - Parameters:
///   - server: whether the certificate is a server's; else it is a client's.
///   - hostname: the host name or address that it has to have; nil for any.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(PolicyCalls.ssl(isServer: server, hostname.map { .text($0 as String) }))
}

/// A policy that asks whether certificates were revoked.
///
/// Answers and lists that came with the certificates count, and the servers that the certificates name are asked, of certificates that lead to an anchor.
///
/// - Parameter revocationFlags: `kSecRevocation…`; by `kSecRevocationNetworkAccessDisabled` no server is asked for anything.
/// - Returns: nil for flags that ask for no method.
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
    SecTrustResult.of("SecPolicyCreateRevocation") { () throws(KeychainError) in
        SecPolicy(try PolicyCalls.revocation(UInt64(revocationFlags)))
    }
}

/// A policy by its identifier, `kSecPolicyApple…`.
///
/// - Parameter properties: `kSecPolicyName`, `kSecPolicyClient`, `kSecPolicyRevocationFlags`, and `kSecPolicyKU_…` with true for uses of its key that
///   the certificate has to name; may be nil.
/// - Returns: nil for an identifier or a property that is not known here.
public func SecPolicyCreateWithProperties(_ policyIdentifier: CFTypeRef, _ properties: CFDictionary?) -> SecPolicy? {
    SecTrustResult.of("SecPolicyCreateWithProperties") { () throws(KeychainError) in
        let pairs = try properties.map { (dictionary) throws(KeychainError) in try QueryDictionary.pairs(of: dictionary)
        }
        return SecPolicy(
            try PolicyCalls.make(QueryDictionary.value(policyIdentifier, isSecret: false), pairs ?? []))
    }
}

/// A policy by its identifier alone; nil for one that is not known here.
public func SecPolicyCreateWithOID(_ policyOID: CFTypeRef) -> SecPolicy? {
    SecTrustResult.of("SecPolicyCreateWithOID") { () throws(KeychainError) in
        SecPolicy(try PolicyCalls.make(QueryDictionary.value(policyOID, isSecret: false), []))
    }
}

/// Changes what a policy asks for: the properties that are named, and no others.
///
/// - Returns: `errSecParam` for a property that is not known here, or of another policy; nothing is changed then.
@discardableResult
public func SecPolicySetProperties(_ policyRef: SecPolicy, _ properties: CFDictionary) -> OSStatus {
    CallStatus.of("SecPolicySetProperties") { () throws(KeychainError) in
        try PolicyCalls.set(try QueryDictionary.pairs(of: properties), of: policyRef)
    }
}

/// What a policy asks for: its identifier under `kSecPolicyOid`, and what it was made with.
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    ResultObject.make(PolicyCalls.properties(of: policyRef.policy)) as? NSDictionary
}

/// Ways in which it is looked whether a certificate was revoked.
@inlinable public var kSecRevocationOCSPMethod: CFOptionFlags { 1 }
@inlinable public var kSecRevocationCRLMethod: CFOptionFlags { 2 }
@inlinable public var kSecRevocationPreferCRL: CFOptionFlags { 4 }
/// An evaluation fails where nobody says that the certificate is good.
@inlinable public var kSecRevocationRequirePositiveResponse: CFOptionFlags { 8 }
/// What came with the certificates counts, and no server is asked.
@inlinable public var kSecRevocationNetworkAccessDisabled: CFOptionFlags { 16 }
@inlinable public var kSecRevocationUseAnyAvailableMethod: CFOptionFlags { 3 }
