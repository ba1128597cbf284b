import ChatelaineModel
import ChatelaineSystem
import Foundation

/// A trust policy: the requirements that a certificate has to meet.
///
/// Any thread may use a policy. Two policies are equal when they have the same requirements.
/// ``SecPolicySetProperties(_:_:)`` changes a policy; evaluations that were made with it before keep its former
/// requirements.
public final class SecPolicy: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 268

    private let current: AdaptiveMutex<TrustPolicy>

    package var policy: TrustPolicy { current.withLock { $0 } }

    package init(_ policy: TrustPolicy) { current = AdaptiveMutex(policy) }

    package func change(_ body: (inout TrustPolicy) throws(KeychainError) -> Void) throws(KeychainError) {
        try current.withLock { (policy) throws(KeychainError) in try body(&policy) }
    }

    /// Hashes the purpose alone, since it never changes.
    public override var hash: Int { policy.purpose.hashValue }

    public override func isEqual(_ object: Any?) -> Bool { (object as? SecPolicy)?.policy == policy }

    public override var description: String { "<SecPolicy: \(policy.purpose.identifier)>" }
}

/// The type identifier of ``SecPolicy`` objects.
public func SecPolicyGetTypeID() -> CFTypeID { SecPolicy.cfTypeID }

/// Makes a policy that checks the chain itself, for any use.
@discardableResult
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(TrustPolicy(.basic)) }

/// Makes a policy for TLS.
///
/// - Parameters:
///   - server: whether the certificate is a server's; otherwise it is a client's.
///   - hostname: the host name or address that the certificate must have; nil for any.
@discardableResult
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(PolicyCalls.ssl(isServer: server, hostname.map { .text($0 as String) }))
}

/// Makes a policy that checks whether certificates were revoked.
///
/// The check uses OCSP answers and lists that came with the certificates. It also asks the servers that the
/// certificates name, if the certificates lead to an anchor.
///
/// - Parameter revocationFlags: `kSecRevocation…`; with `kSecRevocationNetworkAccessDisabled` no server is asked.
///   Without a method nobody is asked either.
/// - Returns: nil for no flag, and for one that there is not.
@discardableResult
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
    SecTrustResult.of("SecPolicyCreateRevocation") { () throws(KeychainError) in
        SecPolicy(try PolicyCalls.revocation(UInt64(revocationFlags)))
    }
}

/// Makes a policy from its identifier, `kSecPolicyApple…`.
///
/// - Parameter properties: `kSecPolicyName`, `kSecPolicyClient`, `kSecPolicyRevocationFlags`, and `kSecPolicyKU_…`
///   with true for key usages that the certificate must name; may be nil.
/// - Returns: nil for an unknown identifier or property.
@discardableResult
public func SecPolicyCreateWithProperties(_ policyIdentifier: CFTypeRef, _ properties: CFDictionary?) -> SecPolicy? {
    SecTrustResult.of("SecPolicyCreateWithProperties") { () throws(KeychainError) in
        let pairs = try properties.map { (dictionary) throws(KeychainError) in try QueryDictionary.pairs(of: dictionary)
        }
        return SecPolicy(
            try PolicyCalls.make(QueryDictionary.value(policyIdentifier, isSecret: false), pairs ?? []))
    }
}

/// Makes a policy from its identifier alone; nil for an unknown identifier.
@discardableResult
public func SecPolicyCreateWithOID(_ policyOID: CFTypeRef) -> SecPolicy? {
    SecTrustResult.of("SecPolicyCreateWithOID") { () throws(KeychainError) in
        SecPolicy(try PolicyCalls.make(QueryDictionary.value(policyOID, isSecret: false), []))
    }
}

/// Changes the named properties of a policy, and no others.
///
/// - Returns: `errSecParam` for an unknown property, or one of another kind of policy; nothing is changed then.
@discardableResult
public func SecPolicySetProperties(_ policyRef: SecPolicy, _ properties: CFDictionary) -> OSStatus {
    CallStatus.of("SecPolicySetProperties") { () throws(KeychainError) in
        try PolicyCalls.set(try QueryDictionary.pairs(of: properties), of: policyRef)
    }
}

/// Returns the properties of a policy: its identifier under `kSecPolicyOid`, and the properties that were set.
@discardableResult
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    ResultObject.make(PolicyCalls.properties(of: policyRef.policy)) as? NSDictionary
}

/// The methods of a revocation check.
@inlinable public var kSecRevocationOCSPMethod: CFOptionFlags { 1 }
@inlinable public var kSecRevocationCRLMethod: CFOptionFlags { 2 }
@inlinable public var kSecRevocationPreferCRL: CFOptionFlags { 4 }
/// An evaluation fails without an answer that the certificate is good.
@inlinable public var kSecRevocationRequirePositiveResponse: CFOptionFlags { 8 }
/// The check uses only what came with the certificates, and asks no server.
@inlinable public var kSecRevocationNetworkAccessDisabled: CFOptionFlags { 16 }
@inlinable public var kSecRevocationUseAnyAvailableMethod: CFOptionFlags { 3 }
