import ChatelaineIPC
import ChatelaineModel
import Security

/// `SecPolicyCreateBasicX509` of `Security/SecPolicy.h`.
@_cdecl("SecPolicyCreateBasicX509")
public func policyCreateBasicX509() -> UnsafeRawPointer? { BoxType.policy.make(SecPolicy(TrustPolicy(.basic))) }

/// `SecPolicyCreateSSL` of `Security/SecPolicy.h`.
@_cdecl("SecPolicyCreateSSL")
public func policyCreateSSL(_ server: UInt8, _ hostname: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignTrust.answer("SecPolicyCreateSSL") { () throws(KeychainError) in
        let name = hostname.map { ForeignValue.meaning(of: $0) }
        if case .text? = name {} else if name != nil { throw KeychainError(.param, "a host name is a CFString") }
        return try ForeignObject.make(SecPolicy(PolicyCalls.ssl(isServer: server != 0, name)), .policy)
    }
}

/// `SecPolicyCreateRevocation` of `Security/SecPolicy.h`.
@_cdecl("SecPolicyCreateRevocation")
public func policyCreateRevocation(_ flags: UInt) -> UnsafeRawPointer? {
    ForeignTrust.answer("SecPolicyCreateRevocation") { () throws(KeychainError) in
        try ForeignObject.make(SecPolicy(try PolicyCalls.revocation(UInt64(flags))), .policy)
    }
}

/// `SecPolicyCreateWithProperties` of `Security/SecPolicy.h`.
@_cdecl("SecPolicyCreateWithProperties")
public func policyCreateWithProperties(
    _ identifier: UnsafeRawPointer?, _ properties: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    ForeignTrust.answer("SecPolicyCreateWithProperties") { () throws(KeychainError) in
        let pairs = properties == nil ? [] : try ForeignDictionary.pairs(of: properties)
        return try ForeignObject.make(
            SecPolicy(try PolicyCalls.make(ForeignValue.meaning(of: identifier), pairs)), .policy)
    }
}

/// `SecPolicyCreateWithOID` of `Security/SecPolicy.h`.
@_cdecl("SecPolicyCreateWithOID")
public func policyCreateWithOID(_ identifier: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignTrust.answer("SecPolicyCreateWithOID") { () throws(KeychainError) in
        try ForeignObject.make(SecPolicy(try PolicyCalls.make(ForeignValue.meaning(of: identifier), [])), .policy)
    }
}

/// `SecPolicySetProperties` of `Security/SecPolicy.h`.
@_cdecl("SecPolicySetProperties")
public func policySetProperties(_ policy: UnsafeRawPointer?, _ properties: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecPolicySetProperties") { () throws(KeychainError) in
        try PolicyCalls.set(
            try ForeignDictionary.pairs(of: properties), of: try ForeignObject.content(policy, .policy))
    }
}

/// `SecPolicyCopyProperties` of `Security/SecPolicy.h`.
@_cdecl("SecPolicyCopyProperties")
public func policyCopyProperties(_ policy: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignTrust.answer("SecPolicyCopyProperties") { () throws(KeychainError) in
        let policy: SecPolicy = try ForeignObject.content(policy, .policy)
        return try ForeignResult.make(PolicyCalls.properties(of: policy.policy))
    }
}
