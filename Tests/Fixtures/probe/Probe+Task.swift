import Foundation
import Security

/// What this program is told of its own signature.
extension Probe {
    /// Nil for what is no question about that.
    static func performTask(_ command: [String: Any]) -> [String: Any]? {
        guard let task = SecTaskCreateFromSelf(nil) else { return ["error": "no task"] }
        var error: Unmanaged<CFError>?
        let result: Any?
        switch command["call"] as? String {
        case "entitlement":
            result = SecTaskCopyValueForEntitlement(task, NSString(string: command["name"] as? String ?? ""), &error)
        case "entitlements":
            result = SecTaskCopyValuesForEntitlements(task, command["names"] as? NSArray ?? [], &error)
        case "signingIdentifier": result = SecTaskCopySigningIdentifier(task, &error)
        default: return nil
        }
        var answer: [String: Any] = ["status": error.map { CFErrorGetCode($0.takeRetainedValue()) } ?? 0]
        if let result { answer["result"] = encoded(result, isBrief: false) }
        return answer
    }
}
