import ChatelaineModel
import Foundation

/// Converts a constraint to and from the dictionary in Apple's calls and files.
package struct TrustConstraintPairs {
    let constraint: TrustConstraint

    package static let (policy, policyString) = ("kSecTrustSettingsPolicy", "kSecTrustSettingsPolicyString")
    package static let (application, keyUsage) = ("kSecTrustSettingsApplication", "kSecTrustSettingsKeyUsage")
    package static let (allowedError, result) = ("kSecTrustSettingsAllowedError", "kSecTrustSettingsResult")
    /// The key of the policy's name, for people; in files only.
    private static let policyName = "kSecTrustSettingsPolicyName"
    private static let keys: Set = [policy, policyString, application, keyUsage, allowedError, result, policyName]
    /// Apple's arc of policies, as the content of an object identifier in DER; a last byte names the policy.
    private static let arc: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x01]

    /// - Throws: `errSecInvalidTrustSettings` for a number that is no result.
    package static func result(_ number: Int64) throws(KeychainError) -> TrustConstraint.Result {
        guard let result = UInt8(exactly: number).flatMap(TrustConstraint.Result.init) else {
            throw TrustSettingsFile.invalid("\(number) is no result of trust settings")
        }
        return result
    }

    /// - Throws: `errSecInvalidTrustSettings` for a number beyond 32 bits.
    package static func keyUsage(_ number: Int64) throws(KeychainError) -> UInt32 {
        // Apple's `kSecTrustSettingsKeyUseAny` has all bits set, which is -1 as a signed number.
        guard let usage = number == -1 ? .max : UInt32(exactly: number) else {
            throw TrustSettingsFile.invalid("\(number) is no use of a key")
        }
        return usage
    }

    /// The status that an allowed error names.
    ///
    /// Apple's tools write the numbers of CSSM, which no evaluation here reports: the usual ones are translated.
    ///
    /// - Throws: `errSecInvalidTrustSettings` for another number of CSSM. The setting would never apply.
    package static func allowedError(_ number: Int64) throws(KeychainError) -> Int64 {
        if let status = statusOfCSSM[number] { return Int64(status.rawValue) }
        guard number > Int64(Int32.min) + cssmErrors, number <= Int64(Int32.max) else {
            throw TrustSettingsFile.invalid("\(number) is no error that a certificate can have here")
        }
        return number
    }

    /// CSSM's errors of certificates are the lowest numbers of 32 bits, and no `OSStatus` lies among them.
    private static let cssmErrors: Int64 = 0x2_0000
    /// `CSSMERR_APPLETP_HOSTNAME_MISMATCH`, `CSSMERR_TP_CERT_EXPIRED` and `CSSMERR_TP_CERT_NOT_VALID_YET`.
    private static let statusOfCSSM: [Int64: Status] = [
        -0x7FFE_DC00: .hostNameMismatch, -0x7FFE_DEF6: .certificateExpired, -0x7FFE_DEF5: .certificateNotValidYet,
    ]

    /// - Throws: `errSecInvalidTrustSettings` for an unknown key or value: without it the setting would apply to more
    ///   than was meant.
    static func constraint(propertyList pairs: [String: Any]) throws(KeychainError) -> TrustConstraint {
        if let other = pairs.keys.first(where: { !keys.contains($0) }) {
            throw TrustSettingsFile.invalid("\(other) is no setting that is known here")
        }
        var constraint = TrustConstraint()
        if let value = pairs[result] { constraint.result = try result(try number(value, result)) }
        if let value = pairs[policy] {
            guard let data = value as? Data, data.count == arc.count + 1, [UInt8](data.dropLast()) == arc,
                let last = data.last, let purpose = TrustPolicy.Purpose(identifier: "1.2.840.113635.100.1.\(last)")
            else { throw TrustSettingsFile.invalid("a policy is none that is known here") }
            constraint.policy = purpose
        }
        constraint.policyName = try text(pairs[policyString], policyString)
        constraint.application = try text(pairs[application], application)
        // The name alone would leave a setting for every policy.
        guard pairs[policyName] == nil || constraint.policy != nil else {
            throw TrustSettingsFile.invalid("a policy is only named, and not given by its object identifier")
        }
        if let value = pairs[allowedError] {
            constraint.allowedError = try allowedError(try number(value, allowedError))
        }
        if let value = pairs[keyUsage] { constraint.keyUsage = try keyUsage(try number(value, keyUsage)) }
        return constraint
    }

    private static func text(_ value: Any?, _ key: String) throws(KeychainError) -> String? {
        guard let value else { return nil }
        guard let text = value as? String else { throw TrustSettingsFile.invalid("\(key) is no text") }
        return text
    }

    private static func number(_ value: Any, _ key: String) throws(KeychainError) -> Int64 {
        guard let number = value as? Int else { throw TrustSettingsFile.invalid("\(key) is no number") }
        return Int64(number)
    }
}

extension TrustConstraintPairs: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var pairs = encoder.container(keyedBy: PropertyListKey.self)
        func write(_ value: (some Encodable)?, _ key: String) throws {
            try pairs.encodeIfPresent(value, forKey: PropertyListKey(key))
        }
        try write(Int(constraint.result.rawValue), Self.result)
        if let purpose = constraint.policy, let last = UInt8(purpose.identifier.split(separator: ".").last ?? "") {
            try write(Data(Self.arc + [last]), Self.policy)
            try write("\(purpose.identifier)", Self.policyName)
        }
        try write(constraint.policyName, Self.policyString)
        try write(constraint.application, Self.application)
        try write(constraint.allowedError, Self.allowedError)
        try write(constraint.keyUsage.map { Int($0) }, Self.keyUsage)
    }
}
