import Foundation
import Security

/// Calls about this program's own signature.
extension Probe {
    /// Makes the call of a command; nil for any other command.
    static func performTask(_ command: [String: Any]) -> [String: Any]? {
        guard let task = SecTaskCreateFromSelf(nil) else { return ["error": "no task"] }
        var error: Unmanaged<CFError>?
        let result: Any?
        switch command["call"] as? String {
        case "entitlement":
            result = SecTaskCopyValueForEntitlement(task, NSString(string: command["name"] as? String ?? ""), &error)
        case "entitlements":
            result = SecTaskCopyValuesForEntitlements(task, command["names"] as? NSArray ?? [], &error)
        case "trusted": return trusted()
        case "signingIdentifier": result = SecTaskCopySigningIdentifier(task, &error)
        default: return nil
        }
        var answer: [String: Any] = ["status": error.map { CFErrorGetCode($0.takeRetainedValue()) } ?? 0]
        if let result { answer["result"] = encoded(result, isBrief: false) }
        return answer
    }

    /// How access objects list this program: by itself, and as the default of an access object without a trusted list.
    private static func trusted() -> [String: Any] {
        var (own, access): (SecTrustedApplication?, SecAccess?)
        let status = SecTrustedApplicationCreateFromPath(nil, &own)
        guard status == errSecSuccess, let own, SecAccessCreate("x", nil, &access) == errSecSuccess, let access,
            let acl = (SecAccessCopyMatchingACLList(access, kSecACLAuthorizationDecrypt) as? [SecACL])?.first
        else { return ["status": Int(status)] }
        var (data, list, text): (CFData?, CFArray?, CFString?)
        var selector = SecKeychainPromptSelector()
        SecACLCopyContents(acl, &list, &text, &selector)
        guard list as? [SecTrustedApplication] == [own] else { return ["error": "another program is listed"] }
        SecTrustedApplicationCopyData(own, &data)
        return ["status": 0, "result": data.map { ($0 as Data).base64EncodedString() } ?? ""]
    }
}
